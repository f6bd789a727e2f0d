import { get, getPath, postPath } from './client';
import type { components } from './schema';

export type SupportAccount = components['schemas']['SupportAccount'];
export type SupportAgent = components['schemas']['AgentBody'];
export type SupportEvent = components['schemas']['SupportEvent'];
export type SupportMail = components['schemas']['SupportMail'];
export type SupportAuditEntry = components['schemas']['SupportAuditEntry'];
type Events = components['schemas']['SupportEvents'];
type Mails = components['schemas']['SupportMails'];
type Audit = components['schemas']['SupportAudit'];

/** An action that an agent can perform on an account. */
export type SupportAction =
  | { path: 'resend'; kind: 'verify' | 'reset' | 'migration' }
  | { path: 'sign-out' | 'cancel-deletion' | 'disable' | 'enable' };

export const fetchAgent = (): Promise<SupportAgent> => get('/support/me');

/** The account with exactly this address, username or id. */
export async function findAccount(query: string): Promise<SupportAccount | null> {
  return (await get('/support/accounts', { query })).account ?? null;
}

export const fetchEvents = (id: string): Promise<Events> =>
  getPath(`/support/accounts/${id}/activity`);

export const fetchMails = (id: string): Promise<Mails> => getPath(`/support/accounts/${id}/mails`);

/** A page of the audit, newest first. */
export const fetchAudit = (before: string | null): Promise<Audit> =>
  getPath(before ? `/support/audit?before=${before}` : '/support/audit');

export const actOn = (id: string, action: SupportAction, reason: string): Promise<unknown> => {
  const { path, ...more } = action;
  return postPath(`/support/accounts/${id}/${path}`, { ...more, reason });
};
