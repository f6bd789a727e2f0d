import type { SupportAuditEntry } from '../api/support';
import { isTextKey, type Translate } from '../i18n/texts';

/**
 * Describes an audit entry. If an action or refusal has no translation, its name is shown. The names are defined in
 * src/support/audited.rs and src/support/refusals.rs.
 */
export function titleOf({ action, refusal }: SupportAuditEntry, t: Translate): string {
  const words = (kind: 'action' | 'refusal', name: string) => {
    const key = `support.audit_${kind}.${name}`;
    return isTextKey(key) ? t(key) : name;
  };
  const actionText = words('action', action);
  return refusal ? `${actionText} · ${words('refusal', refusal)}` : actionText;
}

/** Names the actor: the username of an agent, or the system user who ran a command (`cli:root`). */
export function actorName(actor: string, t: Translate): string {
  const [, name] = /^cli:(.*)$/.exec(actor) ?? [];
  return name === undefined ? actor : t('support.operator', { name });
}
