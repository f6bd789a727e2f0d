import type { SupportAuditEntry } from '../api/support';
import { isTextKey, type Translate } from '../i18n/texts';

/**
 * Describes an audit entry. An action or a refusal of a later release is shown by its name, because the audit hides no
 * entry. The names are those of src/support/audited.rs and src/support/refusals.rs.
 */
export function titleOf({ action, refusal }: SupportAuditEntry, t: Translate): string {
  const words = (kind: 'action' | 'refusal', name: string) => {
    const key = `support.audit_${kind}.${name}`;
    return isTextKey(key) ? t(key) : name;
  };
  const actionText = words('action', action);
  return refusal ? `${actionText} · ${words('refusal', refusal)}` : actionText;
}

/** Names the actor: the username of an agent, or the system user who ran a command, for example `cli:root`. */
export function actorName(actor: string, t: Translate): string {
  const [, name] = /^cli:(.*)$/.exec(actor) ?? [];
  return name === undefined ? actor : t('support.operator', { name });
}
