import type { SupportAuditEntry } from '../api/support';
import type { TextKey, Translate } from '../i18n/texts';

/** The translation keys of the variants of `SupportAction` (src/support/audited.rs). */
const ACTION_LABELS: Readonly<Record<string, TextKey>> = {
  find: 'support.audit_action.find',
  view_activity: 'support.audit_action.view_activity',
  view_mails: 'support.audit_action.view_mails',
  resend_verify: 'support.audit_action.resend_verify',
  resend_reset: 'support.audit_action.resend_reset',
  resend_migration: 'support.audit_action.resend_migration',
  sign_out: 'support.audit_action.sign_out',
  cancel_deletion: 'support.audit_action.cancel_deletion',
  disable: 'support.audit_action.disable',
  enable: 'support.audit_action.enable',
  read_audit: 'support.audit_action.read_audit',
  delete: 'support.audit_action.delete',
  delete_now: 'support.audit_action.delete_now',
  export: 'support.audit_action.export',
  set_email: 'support.audit_action.set_email',
  set_details: 'support.audit_action.set_details',
  unsubscribe: 'support.audit_action.unsubscribe',
  grant_support: 'support.audit_action.grant_support',
  grant_admin: 'support.audit_action.grant_admin',
  revoke: 'support.audit_action.revoke',
};

/** The translation keys of the error codes of refused actions (src/support/refusals.rs). */
const REFUSAL_LABELS: Readonly<Record<string, TextKey>> = {
  not_found: 'support.audit_refusal.not_found',
  not_allowed: 'support.audit_refusal.not_allowed',
  nothing_pending: 'support.audit_refusal.nothing_pending',
  account_exists: 'support.audit_refusal.account_exists',
  username_in_use: 'support.audit_refusal.username_in_use',
  underage: 'support.audit_refusal.underage',
  email_unchanged: 'support.audit_refusal.email_unchanged',
  second_factor_off: 'support.audit_refusal.second_factor_off',
  rate_limited: 'support.audit_refusal.rate_limited',
};

/** Describes an audit entry. An action of a later release is shown by its name, because the audit hides no entry. */
export function titleOf({ action, refusal }: SupportAuditEntry, t: Translate): string {
  const words = (texts: Readonly<Record<string, TextKey>>, name: string) => {
    const textKey = texts[name];
    return textKey ? t(textKey) : name;
  };
  const actionText = words(ACTION_LABELS, action);
  return refusal ? `${actionText} · ${words(REFUSAL_LABELS, refusal)}` : actionText;
}

/** Names the actor: the username of an agent, or the system user who ran a command, for example `cli:root`. */
export function actorName(actor: string, t: Translate): string {
  const [, name] = /^cli:(.*)$/.exec(actor) ?? [];
  return name === undefined ? actor : t('support.operator', { name });
}
