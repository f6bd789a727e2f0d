import { useEffect, useRef, useState } from 'react';
import { fetchAgent, findAccount, type SupportAccount, type SupportAgent } from '../api/support';
import { BackLink } from '../components/back-link';
import { Button } from '../components/button';
import { Card } from '../components/card';
import { Failure } from '../components/failure';
import { Status } from '../components/notice';
import { TextField } from '../components/text-field';
import { firstError } from '../forms/field-errors';
import { useForm } from '../forms/use-form';
import { useTranslation } from '../i18n/use-translation';
import { AccountView } from './account-view';
import { AuditList } from './audit-list';
import styles from './support.module.css';
import { useAgentProof } from './use-agent-request';

/** The last lookup. `account` is null if no account was found. */
interface Lookup {
  query: string;
  account: SupportAccount | null;
  agent: SupportAgent;
}

/** The screen of the support view. An agent finds an account and performs actions on it. */
export function SupportScreen() {
  const { t } = useTranslation();
  const [agent, setAgent] = useState<SupportAgent | null>(null);
  const [lookup, setLookup] = useState<Lookup | null>(null);
  const [isActionDone, setIsActionDone] = useState(false);
  const { run, onFailure, dialog } = useAgentProof();
  const form = useForm({
    fields: { query: '' },
    onSubmit() {
      setLookup(null);
      setIsActionDone(false);
    },
    check: ({ query }) => firstError({ query: query.trim() ? null : 'missing_field' }),
    send: ({ query }) => find(query.trim()),
    onDone: show,
    onFailure,
  });
  const isStarted = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the page is opened
  useEffect(() => {
    if (isStarted.current) return;
    isStarted.current = true;
    form.send(() => run(fetchAgent), setAgent);
  }, []);

  /** Finds an account. If the signed-in agent could not be loaded on opening, loads the agent first. */
  async function find(query: string): Promise<Lookup> {
    const searchingAgent = agent ?? (await run(fetchAgent));
    return { query, account: await run(() => findAccount(query)), agent: searchingAgent };
  }

  function show(result: Lookup) {
    setAgent(result.agent);
    setLookup(result);
  }

  return (
    <div className={styles.wide}>
      <Card lead={t('support.lead')} title={t('support.title')}>
        {agent ? (
          <p className={styles.quiet}>
            {t('support.agent', {
              name: agent.username,
              role: t(agent.role === 'admin' ? 'support.role_admin' : 'support.role_support'),
            })}
          </p>
        ) : null}
        <form {...form.props} className={styles.form}>
          <Failure fallback={t('support.load_failed')} reason={form.failure} />
          <TextField
            {...form.field('query')}
            autoCapitalize="none"
            autoComplete="off"
            enterKeyHint="search"
            label={t('support.query')}
            raised
            type="text"
          />
          <Button busy={form.busy && t('common.loading')}>{t('support.find')}</Button>
        </form>
        {isActionDone ? <Status>{t('support.done')}</Status> : null}
        {lookup && !lookup.account ? <Status neutral>{t('support.none')}</Status> : null}
        {lookup?.account ? (
          <AccountView
            account={lookup.account}
            isAdmin={lookup.agent.role === 'admin'}
            key={lookup.account.id}
            onDone={() => {
              setIsActionDone(true);
              form.send(() => find(lookup.query), show);
            }}
          />
        ) : null}
        {agent?.role === 'admin' ? <AuditList /> : null}
        <BackLink divided to="/sign-out">
          {t('settings.sign_out')}
        </BackLink>
      </Card>
      {dialog}
    </div>
  );
}
