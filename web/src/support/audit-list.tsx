import { useState } from 'react';
import { fetchAudit, type SupportAuditEntry } from '../api/support';
import { Button } from '../components/button';
import { Entry, EntryList } from '../components/entry-list';
import { Failure } from '../components/failure';
import { useTimeFormat } from '../hooks/use-time-format';
import { useTranslation } from '../i18n/use-translation';
import { actorName, titleOf } from './audit-words';
import styles from './support.module.css';
import { useAgentRequest } from './use-agent-request';

interface Audit {
  entries: readonly SupportAuditEntry[];
  next: string | null;
}

/** The audit log of the actions of agents and operators. The server returns the audit log only to admins. */
export function AuditList() {
  const { t } = useTranslation();
  const { formatDateTime } = useTimeFormat();
  const [audit, setAudit] = useState<Audit | null>(null);
  const { busy, failure, send, dialog } = useAgentRequest();

  function load(before: string | null) {
    send(
      () => fetchAudit(before),
      ({ entries, next = null }) => {
        const earlier = before ? (audit?.entries ?? []) : [];
        setAudit({ entries: [...earlier, ...entries], next });
      },
    );
  }

  return (
    <section aria-labelledby="audit" className={styles.section}>
      <h2 id="audit">{t('support.audit')}</h2>
      <Failure fallback={t('support.load_failed')} reason={failure} />
      {audit && audit.entries.length > 0 ? (
        <EntryList>
          {audit.entries.map((entry) => (
            <Entry
              key={entry.id}
              lines={[
                `${formatDateTime(Date.parse(entry.at))} · ${actorName(entry.actor, t)}`,
                entry.account,
                entry.reason,
              ].filter(Boolean)}
              title={titleOf(entry, t)}
            />
          ))}
        </EntryList>
      ) : null}
      <div className={styles.buttons}>
        {audit ? null : (
          <Button busy={busy && t('common.loading')} variant="secondary" onClick={() => load(null)}>
            {t('support.audit_show')}
          </Button>
        )}
        {audit?.next ? (
          <Button
            busy={busy && t('common.loading')}
            variant="secondary"
            onClick={() => load(audit.next)}
          >
            {t('support.more')}
          </Button>
        ) : null}
      </div>
      {dialog}
    </section>
  );
}
