import { useLayoutEffect, useState } from 'react';
import { actOn, type SupportAccount, type SupportAction } from '../api/support';
import { Button } from '../components/button';
import { Failure } from '../components/failure';
import { TextField } from '../components/text-field';
import { firstError } from '../forms/field-errors';
import { useForm } from '../forms/use-form';
import { useTranslation } from '../i18n/use-translation';
import styles from './support.module.css';
import { useAgentProof } from './use-agent-request';

interface LabelledAction {
  name: string;
  action: SupportAction;
}

interface AccountActionsProps {
  account: SupportAccount;
  isAdmin: boolean;
  onDone: () => void;
}

/** The actions that an agent can perform on an account in its current state. Each action requires a reason. */
export function AccountActions({ account, isAdmin, onDone }: AccountActionsProps) {
  const { t } = useTranslation();
  const [chosenAction, setChosenAction] = useState<LabelledAction | null>(null);
  return (
    <>
      <h3 className={styles.heading}>{t('support.actions')}</h3>
      <div className={styles.buttons}>
        {useActions(account, isAdmin).map((named) => (
          <Button key={named.name} variant="secondary" onClick={() => setChosenAction(named)}>
            {named.name}
          </Button>
        ))}
      </div>
      {chosenAction ? (
        <ActionForm
          id={account.id}
          key={chosenAction.name}
          named={chosenAction}
          onCancel={() => setChosenAction(null)}
          onDone={() => {
            setChosenAction(null);
            onDone();
          }}
        />
      ) : null}
    </>
  );
}

function useActions({ state, verified }: SupportAccount, isAdmin: boolean): LabelledAction[] {
  const { t } = useTranslation();
  const isAccount = state !== 'legacy';
  const canSignIn = isAccount && state !== 'disabled';
  const actions: (LabelledAction & { applies: boolean })[] = [
    {
      name: t('support.resend_verify'),
      action: { path: 'resend', kind: 'verify' },
      applies: canSignIn && !verified,
    },
    {
      name: t('support.resend_reset'),
      action: { path: 'resend', kind: 'reset' },
      applies: canSignIn,
    },
    {
      name: t('support.resend_migration'),
      action: { path: 'resend', kind: 'migration' },
      applies: !isAccount,
    },
    { name: t('support.sign_out'), action: { path: 'sign-out' }, applies: canSignIn },
    {
      name: t('support.cancel_deletion'),
      action: { path: 'cancel-deletion' },
      applies: state === 'deletion_pending',
    },
    { name: t('support.disable'), action: { path: 'disable' }, applies: canSignIn && isAdmin },
    {
      name: t('support.enable'),
      action: { path: 'enable' },
      applies: state === 'disabled' && isAdmin,
    },
  ];
  return actions.filter(({ applies }) => applies);
}

interface ActionFormProps {
  id: string;
  named: LabelledAction;
  onCancel: () => void;
  onDone: () => void;
}

function ActionForm({ id, named, onCancel, onDone }: ActionFormProps) {
  const { t } = useTranslation();
  const { run, onFailure, dialog } = useAgentProof();
  const form = useForm({
    fields: { reason: '' },
    check: ({ reason }) => firstError({ reason: reason.trim() ? null : 'missing_field' }),
    send: ({ reason }) => run(() => actOn(id, named.action, reason.trim())),
    onDone,
    onFailure,
  });
  const { ref, busy } = form;

  // The focus moves to the form, which has opened below the buttons.
  useLayoutEffect(() => {
    ref.current?.querySelector('input')?.focus();
  }, [ref]);

  return (
    <>
      <form {...form.props} aria-label={named.name} className={styles.form}>
        <p>
          <strong>{named.name}</strong>
        </p>
        <Failure fallback={t('support.failed')} reason={form.failure} />
        <TextField
          {...form.field('reason')}
          autoComplete="off"
          autoCorrect="on"
          enterKeyHint="done"
          label={t('support.reason')}
          maxLength={500}
          spellCheck
          type="text"
        />
        <div className={styles.buttons}>
          <Button busy={busy && t('common.loading')}>{t('support.confirm')}</Button>
          <Button disabled={busy} variant="quiet" onClick={onCancel}>
            {t('settings.cancel')}
          </Button>
        </div>
      </form>
      {dialog}
    </>
  );
}
