import { useId, useRef, useState } from 'react';
import { Button } from '../../components/button';
import { Status } from '../../components/notice';
import { postponeOffer } from '../../features/passkeys/postponed-offer';
import { useTranslation } from '../../i18n/use-translation';
import styles from './security.module.css';
import { usePasskeyChange } from './use-passkey-change';

type Step = 'offered' | 'added' | 'declined';

/** Offers to create a passkey after the user has signed in with a password. */
export function PasskeyOffer() {
  const { t } = useTranslation();
  const titleId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const [step, setStep] = useState<Step>('offered');
  const { busy, message, add, dialog } = usePasskeyChange();

  function finish() {
    setStep('added');
    // The focus moves to the heading, because the focused button will be removed from the page.
    heading.current?.focus();
  }

  function decline() {
    postponeOffer();
    setStep('declined');
    document.querySelector<HTMLElement>('main h1')?.focus();
  }

  if (step === 'declined') return null;
  return (
    <section aria-labelledby={titleId} className={styles.offer}>
      <h2 id={titleId} ref={heading} tabIndex={-1}>
        {t('security.offer_title')}
      </h2>
      {step === 'added' ? (
        <Status>{t('security.passkey_added')}</Status>
      ) : (
        <>
          <p>{t('security.offer_lead')}</p>
          {message}
          <Button busy={busy && t('security.passkey_busy')} onClick={() => add(finish)}>
            {t('security.passkey_add')}
          </Button>
          <Button disabled={busy} variant="secondary" onClick={decline}>
            {t('security.offer_later')}
          </Button>
          {dialog}
        </>
      )}
    </section>
  );
}
