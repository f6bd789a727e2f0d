import { useId, useState } from 'react';
import { chooseNewsletter, fetchNewsletterChoice } from '../../api/personal-data';
import { Failure } from '../../components/failure';
import { LoadFailure } from '../../components/load-failure';
import { LoadingIndicator } from '../../components/loading-indicator';
import { Alert, Status } from '../../components/notice';
import { Switch } from '../../components/switch';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import { useLoaded } from '../../use-loaded';
import { useSessionEnd } from '../../use-session-end';
import styles from '../security/security.module.css';

/** Whether the user gets the newsletter. The switch saves at once. */
export function NewsletterSection() {
  const { t } = useTranslation();
  const title = useId();
  const ended = useSessionEnd();
  const { state, reloading, reload, update } = useLoaded(fetchNewsletterChoice, {
    handled: ended,
  });
  const { busy, failure, send } = useRequest(ended);
  // The choice that is being saved, or was saved last.
  const [wanted, setWanted] = useState(false);
  const [saved, setSaved] = useState(false);

  function choose(consent: boolean) {
    if (busy) return;
    setWanted(consent);
    setSaved(false);
    send(
      () => chooseNewsletter(consent),
      (answer) => {
        update(() => answer.consent);
        setSaved(true);
      },
    );
  }

  return (
    <section aria-labelledby={title} className={styles.section}>
      <div>
        <h2 id={title} tabIndex={-1}>
          {t('data.newsletter')}
        </h2>
        <p className={styles.lead}>{t('data.newsletter_lead')}</p>
      </div>
      {state.kind === 'loading' ? (
        <LoadingIndicator>{t('data.newsletter_loading')}</LoadingIndicator>
      ) : null}
      {state.kind === 'failed' ? (
        <LoadFailure reloading={reloading} onReload={reload}>
          <Alert>
            <p>{t('data.newsletter_load_failed')}</p>
          </Alert>
        </LoadFailure>
      ) : null}
      {state.kind === 'loaded' ? (
        <Switch
          busy={busy}
          checked={busy ? wanted : state.data}
          label={t('data.newsletter_choice')}
          onChange={choose}
        />
      ) : null}
      {saved ? (
        <Status>
          <p>{t(wanted ? 'data.newsletter_given' : 'data.newsletter_withdrawn')}</p>
        </Status>
      ) : null}
      <Failure fallback={t('data.newsletter_failed')} reason={failure} />
    </section>
  );
}
