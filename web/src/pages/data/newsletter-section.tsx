import { useState } from 'react';
import { chooseNewsletter } from '../../api/personal-data';
import { Failure } from '../../components/failure';
import { LoadFailure } from '../../components/load-failure';
import { Alert, Status } from '../../components/notice';
import { Section } from '../../components/section';
import { Switch } from '../../components/switch';
import { useRequest } from '../../forms/use-request';
import { useSessionEnd } from '../../hooks/use-session-end';
import { useTranslation } from '../../i18n/use-translation';

interface NewsletterSectionProps {
  /** Whether the user receives the newsletter, or null if the choice could not be loaded. */
  consent: boolean | null;
  reloading: boolean;
  reload: () => void;
  /** Called when the server has saved the choice. */
  onChosen: (consent: boolean) => void;
}

/** The section with the switch for the newsletter. Each change is saved at once. */
export function NewsletterSection(props: NewsletterSectionProps) {
  const { consent, reloading, reload, onChosen } = props;
  const { t } = useTranslation();
  const { busy, failure, send } = useRequest(useSessionEnd());
  // The choice that is being saved, or was saved last.
  const [isWanted, setIsWanted] = useState(false);
  const [isSaved, setIsSaved] = useState(false);

  function choose(next: boolean) {
    if (busy) return;
    setIsWanted(next);
    setIsSaved(false);
    send(
      () => chooseNewsletter(next),
      (chosen) => {
        onChosen(chosen.consent);
        setIsSaved(true);
      },
    );
  }

  return (
    <Section lead={t('data.newsletter_lead')} title={t('data.newsletter')}>
      {consent === null ? (
        <LoadFailure reload={reload} reloading={reloading} variant="secondary">
          <Alert>{t('data.newsletter_load_failed')}</Alert>
        </LoadFailure>
      ) : (
        <Switch
          busy={busy}
          checked={busy ? isWanted : consent}
          label={t('data.newsletter_choice')}
          onChange={choose}
        />
      )}
      {isSaved ? (
        <Status>{t(isWanted ? 'data.newsletter_given' : 'data.newsletter_withdrawn')}</Status>
      ) : null}
      <Failure fallback={t('data.newsletter_failed')} reason={failure} />
    </Section>
  );
}
