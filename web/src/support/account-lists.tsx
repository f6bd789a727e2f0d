import { useState } from 'react';
import { fetchEvents, fetchMails, type SupportEvent, type SupportMail } from '../api/support';
import { Button } from '../components/button';
import { Entry, EntryList } from '../components/entry-list';
import { Failure } from '../components/failure';
import { useTranslation } from '../i18n/use-translation';
import { useTimeFormat } from '../use-time-format';
import styles from './support.module.css';
import { useAgentRequest } from './use-agent-request';

/**
 * The activity and the mails of an account. Loaded only on demand, because each access is reported to the account's
 * owner.
 */
export function AccountLists({ id }: { id: string }) {
  const { t } = useTranslation();
  const [events, setEvents] = useState<SupportEvent[] | null>(null);
  const [mails, setMails] = useState<SupportMail[] | null>(null);
  const { failure, send, dialog } = useAgentRequest();

  return (
    <>
      <div className={styles.buttons}>
        <Button
          variant="secondary"
          onClick={() =>
            send(
              () => fetchEvents(id),
              (list) => setEvents(list.events),
            )
          }
        >
          {t('support.activity')}
        </Button>
        <Button
          variant="secondary"
          onClick={() =>
            send(
              () => fetchMails(id),
              (list) => setMails(list.mails),
            )
          }
        >
          {t('support.mails')}
        </Button>
      </div>
      <Failure fallback={t('support.load_failed')} reason={failure} />
      {events ? <Events events={events} /> : null}
      {mails ? <Mails mails={mails} /> : null}
      {dialog}
    </>
  );
}

function Events({ events }: { events: readonly SupportEvent[] }) {
  const { t } = useTranslation();
  const { formatDateTime } = useTimeFormat();
  if (events.length === 0) return <p>{t('support.no_events')}</p>;
  return (
    <EntryList>
      {events.map((event) => (
        <Entry
          key={event.id}
          lines={[formatDateTime(Date.parse(event.at)), event.device].filter(Boolean)}
          title={t(`activity.${event.kind}`)}
        />
      ))}
    </EntryList>
  );
}

function Mails({ mails }: { mails: readonly SupportMail[] }) {
  const { t } = useTranslation();
  const { formatDateTime } = useTimeFormat();
  if (mails.length === 0) return <p>{t('support.no_mails')}</p>;
  const stateOf = ({ sent_at, failed_at }: SupportMail) => {
    if (sent_at) return t('support.mail_sent', { time: formatDateTime(Date.parse(sent_at)) });
    if (failed_at) return t('support.mail_failed', { time: formatDateTime(Date.parse(failed_at)) });
    return t('support.mail_waits');
  };
  return (
    <EntryList>
      {mails.map((mail) => (
        <Entry
          key={`${mail.kind} ${mail.queued_at}`}
          lines={[stateOf(mail), mail.error].filter(Boolean)}
          title={t(`support.mail_kind.${mail.kind}`)}
        />
      ))}
    </EntryList>
  );
}
