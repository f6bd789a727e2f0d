import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import words from '../../../locales/en.json';
import type { SupportAccount, SupportAgent } from '../api/support';
import { ConfigProvider } from '../config';
import { answer, config, networkError, ok, pendingResponse, refusal } from '../testing/api';
import { askForProof, noContent } from '../testing/responses';
import { expectLink } from '../testing/site';
import { SupportApp } from './support-app';

const { support } = words;

const account: SupportAccount = {
  id: '0190b0a0-0000-7000-8000-000000000001',
  username: 'ada1815',
  email: 'a…@e….com',
  state: 'active',
  created_at: '2026-01-05T09:00:00Z',
  verified: true,
  last_seen_day: '2026-11-20',
  region: 'us',
  brand: 'Couch & Moon',
  language: 'en',
  devices: 2,
  passkeys: 1,
  second_factor: true,
  deletion_at: null,
  legacy: false,
};

const me = (role: SupportAgent['role']) =>
  answer('get', '/support/me', () => ok({ username: 'kim', role }));

function renderView() {
  render(
    <ConfigProvider value={config}>
      <SupportApp />
    </ConfigProvider>,
  );
}

async function open(role: SupportAgent['role'] = 'support') {
  me(role);
  renderView();
  const user = userEvent.setup();
  const roleName = role === 'admin' ? support.role_admin : support.role_support;
  await screen.findByText(`Signed in as kim (${roleName})`);
  return user;
}

async function find(found: SupportAccount | null, role: SupportAgent['role'] = 'support') {
  const user = await open(role);
  const calls = answer('get', '/support/accounts', () => ok({ account: found }));
  await user.type(screen.getByLabelText(support.query), ' ada1815 ');
  await user.click(screen.getByRole('button', { name: support.find }));
  await waitFor(() => expect(calls).toHaveLength(1));
  expect(calls[0]?.url.searchParams.get('query')).toBe('ada1815');
  return { user, calls };
}

const button = (name: string) => screen.queryByRole('button', { name });

test('an account is shown with its state, and its lists are not loaded', async () => {
  await find(account);
  await waitFor(() =>
    expect(screen.getByRole('heading', { name: 'ada1815', level: 2 })).toBeVisible(),
  );
  expect(screen.getByText('a…@e….com')).toBeVisible();
  expect(screen.getByText(support.state_active)).toBeVisible();
  // Both dates are dates in UTC.
  expect(screen.getByText('January 5, 2026')).toBeVisible();
  expect(screen.getByText('November 20, 2026')).toBeVisible();
  expect(screen.getByText('Couch & Moon', { selector: 'dd' })).toBeVisible();
  expect(screen.getByText('English')).toBeVisible();
  expect(button(support.disable)).not.toBeInTheDocument();
  expect(button(support.audit_show)).not.toBeInTheDocument();
  expectLink('Sign Out', '/account/sign-out');
  expect(button('Sign out this account')).toBeVisible();
});

test('an empty query is refused, and one without a result shows a message', async () => {
  const user = await open();
  await user.click(screen.getByRole('button', { name: support.find }));
  expect(screen.getByLabelText(support.query)).toHaveFocus();
  expect(screen.getByRole('alert')).toHaveTextContent(words.error.missing_field);
  answer('get', '/support/accounts', () => ok({ account: null }));
  await user.type(screen.getByLabelText(support.query), 'nobody{Enter}');
  expect(await screen.findByText(support.none)).toBeVisible();
});

test('a found account takes the focus, and the next lookup removes it at once', async () => {
  const { user } = await find(account);
  await waitFor(() => expect(screen.getByRole('heading', { name: 'ada1815' })).toHaveFocus());
  const lookup = pendingResponse();
  answer('get', '/support/accounts', () => lookup.response);
  await user.type(screen.getByLabelText(support.query), '{Enter}');
  expect(screen.queryByRole('heading', { name: 'ada1815' })).not.toBeInTheDocument();
  lookup.arrive(ok({ account: null }));
  expect(await screen.findByText(support.none)).toBeVisible();
});

test('an agent that could not be loaded is loaded by the next lookup', async () => {
  answer('get', '/support/me', networkError);
  renderView();
  expect(await screen.findByRole('alert')).toHaveTextContent('We can’t reach the server.');
  me('admin');
  answer('get', '/support/accounts', () => ok({ account }));
  await userEvent.type(screen.getByLabelText(support.query), 'ada1815{Enter}');
  expect(await screen.findByRole('heading', { name: 'ada1815' })).toHaveFocus();
  expect(screen.getByText(`Signed in as kim (${support.role_admin})`)).toBeVisible();
  expect(button(support.disable)).toBeVisible();
});

test.each<[Partial<SupportAccount>, SupportAgent['role'], string[]]>([
  [{ state: 'active' }, 'support', [support.resend_reset, support.sign_out]],
  [{ state: 'active' }, 'admin', [support.resend_reset, support.sign_out, support.disable]],
  [{ state: 'disabled' }, 'support', []],
  [{ state: 'disabled' }, 'admin', [support.enable]],
  [
    { state: 'unverified', verified: false },
    'support',
    [support.resend_verify, support.resend_reset, support.sign_out],
  ],
  [
    { state: 'deletion_pending' },
    'support',
    [support.resend_reset, support.sign_out, support.cancel_deletion],
  ],
  [{ state: 'legacy', verified: false, legacy: true }, 'admin', [support.resend_migration]],
])('%o has its actions for %s', async (more, role, expected) => {
  await find({ ...account, ...more }, role);
  await screen.findByRole('heading', { name: support.actions });
  const all = [
    support.resend_verify,
    support.resend_reset,
    support.resend_migration,
    support.sign_out,
    support.cancel_deletion,
    support.disable,
    support.enable,
  ];
  expect(all.filter((name) => button(name))).toEqual(expected);
});

test('an action requires a reason, is sent once, and the account is reloaded', async () => {
  const { user, calls } = await find(account);
  await user.click(await screen.findByRole('button', { name: support.resend_reset }));
  const form = within(screen.getByRole('form', { name: support.resend_reset }));
  const sent = answer(
    'post',
    `/support/accounts/${account.id}/resend`,
    () => new Response(null, { status: 202 }),
  );
  await user.click(form.getByRole('button', { name: support.confirm }));
  expect(form.getByLabelText(support.reason)).toHaveFocus();
  expect(form.getByRole('alert')).toHaveTextContent(words.error.missing_field);
  expect(sent).toHaveLength(0);
  await user.type(form.getByLabelText(support.reason), 'ticket 17{Enter}');
  expect(await screen.findByText(support.done)).toBeVisible();
  expect(sent.map(({ body }) => body)).toEqual([{ kind: 'reset', reason: 'ticket 17' }]);
  await waitFor(() => expect(calls).toHaveLength(2));
  expect(screen.getByRole('heading', { name: 'ada1815' })).toHaveFocus();
});

test.each([
  [() => refusal(403, 'not_allowed', 'Not on this one.'), 'Not on this one.'],
  [() => refusal(409, 'nothing_pending', 'Nothing to do.'), 'Nothing to do.'],
  [networkError, 'We can’t reach the server.'],
])('a refused action is shown', async (fail, sentence) => {
  const { user } = await find(account);
  await user.click(await screen.findByRole('button', { name: support.sign_out }));
  answer('post', `/support/accounts/${account.id}/sign-out`, fail);
  await user.type(screen.getByLabelText(support.reason), 'ticket 17{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent(sentence);
});

test('activity and mails are loaded on demand', async () => {
  const { user } = await find(account);
  const at = '2026-11-20T10:00:00Z';
  answer('get', `/support/accounts/${account.id}/activity`, () =>
    ok({
      events: [{ id: '1', kind: 'signed_in', at, device: 'Firefox · Linux', actor: 'self' }],
      next: null,
    }),
  );
  answer('get', `/support/accounts/${account.id}/mails`, () =>
    ok({
      mails: [
        { kind: 'verify_email', queued_at: at, sent_at: at, failed_at: null, error: null },
        { kind: 'reset_password', queued_at: at, sent_at: null, failed_at: null, error: null },
      ],
    }),
  );
  await user.click(await screen.findByRole('button', { name: support.activity }));
  expect(await screen.findByText(words.activity.signed_in)).toBeVisible();
  await user.click(screen.getByRole('button', { name: support.mails }));
  expect(await screen.findByText(support.mail_kind.verify_email)).toBeVisible();
  expect(screen.getByText(support.mail_kind.reset_password)).toBeVisible();
  expect(screen.getByText(support.mail_waits)).toBeVisible();
});

test('while a list is loading its button is busy, and the other one is inactive', async () => {
  const { user } = await find(account);
  const mails = pendingResponse();
  answer('get', `/support/accounts/${account.id}/mails`, () => mails.response);
  await user.click(await screen.findByRole('button', { name: support.mails }));
  expect(await screen.findByRole('button', { name: words.common.loading })).toBeVisible();
  expect(button(support.activity)).toHaveAttribute('aria-disabled', 'true');
  mails.arrive(refusal(503, 'unavailable', 'A short break.'));
  expect(await screen.findByRole('alert')).toHaveTextContent('A short break.');
  expect(button(support.activity)).not.toHaveAttribute('aria-disabled');
});

test('an agent whose second factor was removed meanwhile gets a link to the security settings', async () => {
  const { user } = await find(account);
  answer('get', `/support/accounts/${account.id}/activity`, () => askForProof());
  await user.click(await screen.findByRole('button', { name: support.activity }));
  expect(await screen.findByText(support.needs_factor)).toBeVisible();
  expect(screen.getByRole('link', { name: support.set_up })).toBeVisible();
});

test('an admin reads the audit in pages', async () => {
  const user = await open('admin');
  const entry = (id: string, action: string, refusal: string | null = null) => ({
    id,
    at: '2026-11-20T10:00:00Z',
    actor: 'cli:root',
    action,
    account: account.id,
    reason: null,
    refusal,
  });
  answer('get', '/support/audit', () => ok({ entries: [entry('2', 'disable')], next: '2' }));
  await user.click(screen.getByRole('button', { name: support.audit_show }));
  expect(await screen.findByText(support.audit_action.disable)).toBeVisible();
  expect(screen.getByText(/ · root, on the command line$/)).toBeVisible();
  const calls = answer('get', '/support/audit', () =>
    ok({
      entries: [entry('1', 'sign_out', 'not_allowed'), entry('0', 'later_action')],
      next: null,
    }),
  );
  await user.click(screen.getByRole('button', { name: support.more }));
  const { audit_action, audit_refusal } = support;
  expect(
    await screen.findByText(`${audit_action.sign_out} · ${audit_refusal.not_allowed}`),
  ).toBeVisible();
  expect(screen.getByText('later_action')).toBeVisible();
  expect(screen.getByText(audit_action.disable)).toBeVisible();
  expect(calls[0]?.url.search).toBe('?before=2');
});

test('an idle agent reauthenticates, and the call continues', async () => {
  let proved = false;
  answer('get', '/support/me', () =>
    proved ? ok({ username: 'kim', role: 'support' }) : askForProof('password', 'totp'),
  );
  answer('post', '/reauthenticate', () => {
    proved = true;
    return noContent();
  });
  renderView();
  const user = userEvent.setup();
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(support.proof)).toBeVisible();
  await user.type(dialog.getByLabelText('Password'), 'Abcde1');
  await user.type(dialog.getByLabelText('Code'), '123456{Enter}');
  expect(await screen.findByText(/kim/)).toBeVisible();
});

test('an agent without a second factor gets a link to the security settings', async () => {
  answer('get', '/support/me', () => askForProof());
  renderView();
  expect(await screen.findByText(support.needs_factor)).toBeVisible();
  expectLink(support.set_up, '/account/settings/security');
});
