import { useLayoutEffect } from 'react';
import { useTranslation } from '../i18n/use-translation';

interface HouseLightsProps {
  /** Whether the account has a passkey, or null on a site without passkeys. */
  passkey: boolean | null;
  twoStep: boolean;
}

/**
 * Lights that count the protections of the account: verified email address (always on), passkey, two-step verification.
 * In the background of the page each protection has its own window of the house.
 */
export function HouseLights({ passkey, twoStep }: HouseLightsProps) {
  const { t } = useTranslation();
  const verifiedEmail = true;
  const protections = [verifiedEmail, passkey, twoStep].filter((isOn) => isOn !== null);
  const lit = protections.filter(Boolean).length;
  const total = protections.length;
  const next = passkey === false ? 'lights_passkey' : twoStep ? 'lights_all' : 'lights_two_step';
  useWindow('passkey-window', passkey !== false);
  useWindow('two-step-window', twoStep);
  return (
    <p>
      <svg aria-hidden="true" height="14" stroke="currentColor" width={total * 20}>
        {protections.map((_, index) => (
          <rect
            className={index < lit ? 'lit' : undefined}
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
      <span>{`${t('security.lights', { lit, total })} ${t(`security.${next}`)}`}</span>
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
