import { get, post } from './client';
import type { components } from './schema';

export type SupportAccount = components['schemas']['SupportAccount'];
export type SupportAgent = components['schemas']['AgentBody'];
export type SupportEvent = components['schemas']['SupportEvent'];
export type SupportMail = components['schemas']['SupportMail'];
export type SupportAuditEntry = components['schemas']['SupportAuditEntry'];

/** An action that a support agent can perform on an account. */
export type SupportAction =
  | { path: 'resend'; kind: components['schemas']['LinkKind'] }
  | { path: 'sign-out' | 'cancel-deletion' | 'disable' | 'enable' };

export const fetchAgent = () => get('/support/me');

/** Finds the account with exactly this email address, username or id. */
export async function findAccount(query: string) {
  return (await get('/support/accounts', { query })).account ?? null;
}

export const fetchEvents = (id: string) => get('/support/accounts/{id}/activity', { id });

export const fetchMails = (id: string) => get('/support/accounts/{id}/mails', { id });

/** Fetches a page of the audit log, newest entries first. */
export const fetchAudit = (before: string | null) =>
  get('/support/audit', before ? { before } : {});

export const actOn = (id: string, action: SupportAction, reason: string) =>
  action.path === 'resend'
    ? post('/support/accounts/{id}/resend', { kind: action.kind, reason }, { id })
    : post(`/support/accounts/{id}/${action.path}`, { reason }, { id });
