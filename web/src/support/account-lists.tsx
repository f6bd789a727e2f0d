import { useState } from 'react';
import { fetchEvents, fetchMails, type SupportEvent, type SupportMail } from '../api/support';
import { Button } from '../components/button';
import { Entry, EntryList } from '../components/entry-list';
import { Failure } from '../components/failure';
import { useTimeFormat } from '../hooks/use-time-format';
import { useTranslation } from '../i18n/use-translation';
import styles from './support.module.css';
import { useAgentRequest } from './use-agent-request';

/** The recent activity and mails of an account, loaded on demand, because the owner is told of each access. */
export function AccountLists({ id }: { id: string }) {
  const { t } = useTranslation();
  const events = useList(() => fetchEvents(id));
  const mails = useList(() => fetchMails(id));

  function loadList(list: { load: () => void }, other: { forget: () => void }) {
    other.forget();
    list.load();
  }

  return (
    <>
      <div className={styles.buttons}>
        <Button
          busy={events.busy && t('common.loading')}
          disabled={mails.busy}
          variant="secondary"
          onClick={() => loadList(events, mails)}
        >
          {t('support.activity')}
        </Button>
        <Button
          busy={mails.busy && t('common.loading')}
          disabled={events.busy}
          variant="secondary"
          onClick={() => loadList(mails, events)}
        >
          {t('support.mails')}
        </Button>
      </div>
      <Failure fallback={t('support.load_failed')} reason={events.failure ?? mails.failure} />
      {events.loaded ? <Events {...events.loaded} /> : null}
      {mails.loaded ? <Mails {...mails.loaded} /> : null}
      {events.dialog}
      {mails.dialog}
    </>
  );
}

function useList<List>(fetchList: () => Promise<List>) {
  const [loadedList, setLoadedList] = useState<List | null>(null);
  const { send, ...request } = useAgentRequest();
  return { ...request, loaded: loadedList, load: () => send(fetchList, setLoadedList) };
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
