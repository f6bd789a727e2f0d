import { useLayoutEffect } from 'react';
import { useTranslation } from '../i18n/use-translation';

interface HouseLightsProps {
  /** Whether the account has a passkey, or null on a site without passkeys. */
  passkey: boolean | null;
  twoStep: boolean;
}

/**
 * Three lights that show the security of the account: verified email address (always lit), passkey, two-step
 * verification. The windows of the house in the background of the page are lit in the same way.
 */
export function HouseLights({ passkey, twoStep }: HouseLightsProps) {
  const { t } = useTranslation();
  const verifiedEmail = true;
  const lights = [verifiedEmail, passkey, twoStep].filter((light) => light !== null);
  const count = lights.filter(Boolean).length;
  const next = passkey === false ? 'lights_passkey' : twoStep ? 'lights_all' : 'lights_two_step';
  useWindow('passkey-window', passkey !== false);
  useWindow('two-step-window', twoStep);
  return (
    <p>
      <svg aria-hidden="true" height="14" stroke="currentColor" width={lights.length * 20}>
        {lights.map((light, index) => (
          <rect
            className={light ? 'lit' : undefined}
            fill="none"
            height="13"
            // biome-ignore lint/suspicious/noArrayIndexKey: the lights have a fixed order
            key={index}
            width="13"
            x={index * 20 + 0.5}
            y="0.5"
          />
        ))}
      </svg>
      <span>{`${t('security.lights', { count, total: lights.length })} ${t(`security.${next}`)}`}</span>
    </p>
  );
}

/** Lights or darkens a window of the background in index.html. On other screens every window is lit. */
function useWindow(name: string, isLit: boolean) {
  useLayoutEffect(() => {
    const window = document.querySelector(`.${name}`);
    window?.classList.toggle('lit', isLit);
    return () => window?.classList.add('lit');
  }, [name, isLit]);
}
