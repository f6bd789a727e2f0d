import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import words from '../../../../locales/en.json';
import { answer, ok, pendingResponse, refusal } from '../../testing/api';
import {
  ANSWER,
  BROWSER_CANCELLATIONS,
  listOf,
  OPTIONS,
  passkey,
  rejectWith,
  stubPasskeys,
} from '../../testing/authenticator';
import {
  askForProof,
  type FailedCall,
  failures,
  noContent,
  unauthenticated,
} from '../../testing/responses';
import { expectLink, openSite } from '../../testing/site';
import '../../pages/security/security';

const ADD = 'Add a passkey';

/** Clicks "Add a passkey" on the security screen, whose request requires reauthentication. */
async function openDialog(...methods: string[]) {
  const authenticator = stubPasskeys();
  answer('get', '/passkeys', () => listOf());
  answer('post', '/passkeys', () => ok(passkey, 201));
  answer('post', '/reauthenticate/options', () => ok(OPTIONS));
  // The server refuses only the first request. The repeated request succeeds.
  const refuse = () => askForProof(...methods);
  const calls = answer('post', '/passkeys/options', refuse, () => ok(OPTIONS));
  const user = await openSite('/settings/security');
  await user.click(await screen.findByRole('button', { name: ADD }));
  const element = await screen.findByRole('dialog', { name: 'Confirm it’s you' });
  const dialog = within(element);
  const password = dialog.queryByLabelText('Password') ?? element;
  const press = (name: string) => user.click(dialog.getByRole('button', { name }));
  return { ...authenticator, user, element, dialog, password, press, calls };
}

async function expectAdded() {
  expect(await screen.findByRole('status')).toHaveTextContent('Your passkey has been added.');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
}

async function expectNothingDone() {
  expect(await screen.findByRole('button', { name: ADD })).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(screen.queryByRole('status')).not.toBeInTheDocument();
}

test('the password proves the identity of an account without passkeys, and the call is repeated', async () => {
  const { user, dialog, password, calls } = await openDialog('password');
  expect(dialog.queryByRole('button', { name: 'Use a passkey' })).not.toBeInTheDocument();
  expectLink(words.sign_in.forgot, '/account/request-password', dialog);
  const proofs = answer('post', '/reauthenticate', noContent);
  await user.type(password, 'Abcde1{Enter}');
  await expectAdded();
  expect(proofs.map(({ body }) => body)).toEqual([{ password: 'Abcde1' }]);
  expect(calls).toHaveLength(2);
});

test('a passkey proves the identity if the account has one', async () => {
  const { press, get } = await openDialog('passkey', 'password');
  const proofs = answer('post', '/reauthenticate', noContent);
  await press('Use a passkey');
  await expectAdded();
  expect(get).toHaveBeenCalledExactlyOnceWith({ publicKey: OPTIONS.publicKey });
  expect(proofs.map(({ body }) => body)).toEqual([ANSWER]);
});

test('a refusal without a list of methods asks for the password', async () => {
  stubPasskeys();
  answer('get', '/passkeys', () => listOf());
  answer('post', '/passkeys/options', () => refusal(403, 'reauthentication_required', 'Confirm.'));
  const user = await openSite('/settings/security');
  await user.click(await screen.findByRole('button', { name: ADD }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByLabelText('Password')).toBeVisible();
});

test.each([
  ['Cancel', ({ press }: Awaited<ReturnType<typeof openDialog>>) => press('Cancel')],
  [
    'Escape',
    async ({ element }: Awaited<ReturnType<typeof openDialog>>) => {
      fireEvent(element, new Event('cancel', { cancelable: true }));
    },
  ],
])('%s closes the dialog without a call or a message', async (_, cancel) => {
  const opened = await openDialog('password');
  await cancel(opened);
  await expectNothingDone();
  expect(opened.calls).toHaveLength(1);
});

test('the dialog opens again after it was cancelled', async () => {
  const { user, press, calls } = await openDialog('password');
  await press('Cancel');
  answer('post', '/passkeys/options', () => askForProof('password'));
  await user.click(await screen.findByRole('button', { name: ADD }));
  expect(await screen.findByRole('dialog')).toBeVisible();
  expect(calls).toHaveLength(1);
});

test('an empty password is not sent', async () => {
  const { password, press } = await openDialog('password');
  const proofs = answer('post', '/reauthenticate', noContent);
  await press('Continue');
  expect(password).toHaveAccessibleDescription('Please fill in this field');
  expect(password).toHaveFocus();
  expect(proofs).toHaveLength(0);
});

test('a wrong password is shown at its field and can be corrected', async () => {
  const { user, password, press } = await openDialog('password');
  answer('post', '/reauthenticate', () => refusal(401, 'reauthentication_failed', 'No.'));
  await user.type(password, 'wrong');
  await press('Continue');
  await waitFor(() => expect(password).toHaveAttribute('aria-invalid', 'true'));
  expect(password).toHaveFocus();
  expect(screen.getByRole('alert')).toHaveTextContent(words.error.current_password_mismatch);
  expect(location.pathname).toBe('/account/settings/security');

  answer('post', '/reauthenticate', noContent);
  await user.clear(password);
  await user.type(password, 'Abcde1{Enter}');
  await expectAdded();
});

test('a wrong passkey is not blamed on the password', async () => {
  const { dialog, password, press } = await openDialog('passkey', 'password');
  answer('post', '/reauthenticate', () => refusal(401, 'reauthentication_failed', 'It failed.'));
  await press('Continue');
  expect(password).toHaveAttribute('aria-invalid', 'true');
  await press('Use a passkey');
  const alert = await dialog.findByRole('alert');
  expect(alert).toHaveTextContent('It failed.');
  expect(password).not.toHaveAttribute('aria-invalid', 'true');
  expect(location.pathname).toBe('/account/settings/security');
});

/** Failed responses to a passkey or a password after which the user can only retry. */
const FAILURES = failures('That didn’t work. Please check it and try again.');

test.each(FAILURES)('a password check that fails is shown', async (fail, sentence) => {
  const { user, dialog, password } = await openDialog('password');
  answer('post', '/reauthenticate', fail);
  await user.type(password, 'Abcde1{Enter}');
  const alert = await dialog.findByRole('alert');
  expect(alert).toHaveTextContent(sentence);
  await waitFor(() => expect(alert).toHaveFocus());
  expect(password).toHaveValue('Abcde1');
});

test.each<FailedCall>([
  [() => refusal(400, 'invalid_challenge', 'It took too long.'), 'It took too long.'],
  [() => refusal(401, 'passkey_rejected', 'It did not work.'), 'It did not work.'],
  ...FAILURES,
])('a passkey check that fails is shown', async (fail, sentence) => {
  const { dialog, press } = await openDialog('passkey', 'password');
  answer('post', '/reauthenticate', fail);
  await press('Use a passkey');
  expect(await dialog.findByRole('alert')).toHaveTextContent(sentence);
});

test.each(FAILURES)('refused options are shown', async (fail, sentence) => {
  const { dialog, press, get } = await openDialog('passkey', 'password');
  answer('post', '/reauthenticate/options', fail);
  await press('Use a passkey');
  expect(await dialog.findByRole('alert')).toHaveTextContent(sentence);
  expect(get).not.toHaveBeenCalled();
});

test.each(BROWSER_CANCELLATIONS)(
  'after a cancelled passkey (%s) the password still works',
  async (name) => {
    const { user, dialog, password, press, get } = await openDialog('passkey', 'password');
    get.mockImplementation(rejectWith(name));
    await press('Use a passkey');
    const button = await dialog.findByRole('button', { name: 'Use a passkey' });
    expect(button).not.toHaveAttribute('aria-disabled');
    expect(dialog.queryByRole('alert')).not.toBeInTheDocument();
    expect(dialog.getByRole('status')).toHaveTextContent(words.sign_in.passkey_cancelled);
    answer('post', '/reauthenticate', () => refusal(401, 'reauthentication_failed', 'No.'));
    await user.type(password, 'wrong{Enter}');
    expect(await dialog.findByRole('alert')).toBeVisible();
    expect(dialog.queryByRole('status')).not.toBeInTheDocument();
    answer('post', '/reauthenticate', noContent);
    await user.clear(password);
    await user.type(password, 'Abcde1{Enter}');
    await expectAdded();
  },
);

test('after a cancelled passkey nothing mentions a password that does not help', async () => {
  const { dialog, press, get } = await openDialog('passkey');
  get.mockImplementation(rejectWith('NotAllowedError'));
  await press('Use a passkey');
  expect(await dialog.findByRole('status')).toHaveTextContent(words.security.passkey_failed);
});

test('a failure of the browser is shown', async () => {
  const { dialog, press, get } = await openDialog('passkey', 'password');
  get.mockImplementation(rejectWith('SecurityError'));
  await press('Use a passkey');
  expect(await dialog.findByRole('alert')).toHaveTextContent('This passkey didn’t work.');
});

test('an ended session redirects to the sign-in', async () => {
  const { user, password } = await openDialog('password');
  answer('post', '/reauthenticate', unauthenticated);
  await user.type(password, 'Abcde1{Enter}');
  await waitFor(() => expect(location.pathname).toBe('/account/'));
});

test('while the proof is checked, the buttons are busy and inactive', async () => {
  const { user, dialog, password } = await openDialog('passkey', 'password');
  const proof = pendingResponse();
  const proofs = answer('post', '/reauthenticate', () => proof.response);
  await user.type(password, 'Abcde1{Enter}');
  expect(await dialog.findByRole('button', { name: 'Checking…' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  expect(dialog.getByRole('button', { name: 'Use a passkey' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await user.type(password, '{Enter}');
  proof.arrive(noContent());
  await expectAdded();
  expect(proofs).toHaveLength(1);
});

test('while a passkey is checked, its own button is busy and the others are inactive', async () => {
  const { element, dialog, press } = await openDialog('passkey', 'password');
  expect(element).toHaveAccessibleDescription(words.reauthentication.lead);
  const options = pendingResponse();
  answer('post', '/reauthenticate/options', () => options.response);
  await press('Use a passkey');
  const busy = await dialog.findByRole('button', { name: 'Checking…' });
  expect(busy).toHaveFocus();
  expect(dialog.getByRole('button', { name: 'Continue' })).toHaveAttribute('aria-disabled', 'true');
  options.arrive(refusal(503, 'busy', 'A short break.'));
  expect(await dialog.findByRole('alert')).toHaveTextContent('A short break.');
});

test('the password is not offered where it is not enough', async () => {
  const { dialog, press } = await openDialog('passkey');
  answer('post', '/reauthenticate', noContent);
  expect(dialog.queryByLabelText('Password')).not.toBeInTheDocument();
  expect(dialog.queryByRole('button', { name: 'Continue' })).not.toBeInTheDocument();
  await press('Use a passkey');
  await expectAdded();
});

test('a lost passkey starts a wait with the password', async () => {
  const { user, dialog, press } = await openDialog('passkey');
  const proofs = answer('post', '/reauthenticate', noContent);
  const requests = answer('post', '/second-factor/reset', () =>
    ok({ at: '2027-05-04T12:00:00Z' }, 202),
  );
  await press('I lost my passkey');
  expect(dialog.getByRole('heading', { name: 'Lost your passkey?' })).toHaveFocus();
  expect(dialog.getByText(/^Your password starts a wait of 7 days\./)).toBeVisible();
  expect(dialog.getByRole('button', { name: 'Start the 7-day wait' })).toBeVisible();
  await user.type(dialog.getByLabelText('Password'), 'Abcde1{Enter}');
  expect(await dialog.findByText(/On May 4, 2027/)).toBeVisible();
  expect(dialog.getByRole('heading', { name: 'Help is on its way' })).toHaveFocus();
  expect(proofs.map(({ body }) => body)).toEqual([{ password: 'Abcde1' }]);
  expect(requests.map(({ body }) => body)).toEqual([{}]);
  await press('Close');
  await expectNothingDone();
});

test('while the removal of the passkeys is requested, the dialog cannot be closed', async () => {
  const { user, element, dialog, press } = await openDialog('passkey');
  const proof = pendingResponse();
  answer('post', '/reauthenticate', () => proof.response);
  answer('post', '/second-factor/reset', () => ok({ at: '2027-05-04T12:00:00Z' }, 202));
  await press('I lost my passkey');
  await user.type(dialog.getByLabelText('Password'), 'Abcde1{Enter}');
  await dialog.findByRole('button', { name: 'Checking…' });
  await press('Cancel');
  fireEvent(element, new Event('cancel', { cancelable: true }));
  expect(element).toBeInTheDocument();
  proof.arrive(noContent());
  expect(await dialog.findByText(/On May 4, 2027/)).toBeVisible();
  fireEvent(element, new Event('cancel', { cancelable: true }));
  await expectNothingDone();
});

test('while the reset of a lost app is requested, the dialog cannot be closed', async () => {
  const { element, dialog, press } = await openDialog('password', 'totp');
  const reset = pendingResponse();
  answer('post', '/second-factor/reset', () => reset.response);
  await press('I can’t get a code');
  await press('Start the 7-day reset');
  await press('Back');
  fireEvent(element, new Event('cancel', { cancelable: true }));
  expect(element).toBeInTheDocument();
  reset.arrive(ok({ at: '2027-05-04T12:00:00Z' }, 202));
  expect(await dialog.findByText(/^On May 4, 2027/)).toBeVisible();
  fireEvent(element, new Event('cancel', { cancelable: true }));
  await expectNothingDone();
});

test('a wrong password does not start the wait', async () => {
  const { user, dialog, press } = await openDialog('passkey');
  answer('post', '/reauthenticate', () => refusal(401, 'reauthentication_failed', 'No.'));
  const requests = answer('post', '/second-factor/reset', () => ok({ at: '' }, 202));
  await press('I lost my passkey');
  const password = dialog.getByLabelText('Password');
  await user.type(password, 'wrong{Enter}');
  await waitFor(() => expect(password).toHaveAttribute('aria-invalid', 'true'));
  expect(requests).toHaveLength(0);
  await press('Cancel');
  await expectNothingDone();
});

test('a code, where the account has an app, is the way after a lost passkey', async () => {
  const { dialog } = await openDialog('passkey', 'password', 'totp');
  expect(dialog.getByRole('textbox', { name: 'Code' })).toBeVisible();
  expect(dialog.queryByRole('button', { name: 'I lost my passkey' })).not.toBeInTheDocument();
});

test('without a code, a session with a recent sign-in starts the reset', async () => {
  const { dialog, press } = await openDialog('password', 'totp');
  const requests = answer('post', '/second-factor/reset', () =>
    ok({ at: '2027-05-04T12:00:00Z' }, 202),
  );
  await press('I can’t get a code');
  expect(dialog.getByRole('heading', { name: 'Can’t get a code?' })).toHaveFocus();
  expect(dialog.getByText(/It takes 7 days/)).toBeVisible();
  await press('Back');
  expect(dialog.getByRole('textbox', { name: 'Code' })).toBeVisible();
  expect(dialog.getByLabelText('Password')).toHaveFocus();
  await press('I can’t get a code');
  await press('Start the 7-day reset');
  // Both paragraphs are in the result, because only its text is centred.
  const result = await dialog.findByRole('status');
  expect(result).toHaveTextContent(/^On May 4, 2027 you can turn off two-step/);
  expect(result).toHaveTextContent(words.sign_in.reset_stop);
  expect(dialog.getByRole('heading', { name: 'Help is on its way' })).toHaveFocus();
  expect(requests.map(({ body }) => body)).toEqual([{}]);
  await press('Close');
  await expectNothingDone();
});

test('a refused recovery code may have been used before', async () => {
  const { user, dialog } = await openDialog('password', 'totp');
  answer('post', '/reauthenticate', () => refusal(401, 'code_invalid', 'No.'));
  await user.type(dialog.getByLabelText('Password'), 'Abcde1');
  await user.type(dialog.getByRole('textbox', { name: 'Code' }), '7k3m-q2xw-9r4t-hb5c{Enter}');
  expect(await dialog.findByRole('alert')).toHaveTextContent(words.sign_in.recovery_refused);
});

test('without a code and a recent sign-in, the dialog explains the way to the reset', async () => {
  const { dialog, press } = await openDialog('password', 'totp');
  answer('post', '/second-factor/reset', () => askForProof('password', 'totp'));
  await press('I can’t get a code');
  await press('Start the 7-day reset');
  expect(await dialog.findByRole('alert')).toHaveTextContent(
    words.reauthentication.lost_code_again,
  );
});

test('a proof that no longer counts when the passkey is stored is requested again', async () => {
  const { user, calls, create } = await openDialogAtTheEnd();
  answer('post', '/reauthenticate', noContent);
  const dialog = within(await screen.findByRole('dialog', { name: 'Confirm it’s you' }));
  await user.type(dialog.getByLabelText('Password'), 'Abcde1{Enter}');
  await expectAdded();
  expect(create).toHaveBeenCalledOnce();
  expect(calls).toHaveLength(2);
});

/** Clicks "Add a passkey". The server requires reauthentication only when the created passkey is sent to it. */
async function openDialogAtTheEnd() {
  const authenticator = stubPasskeys();
  answer('get', '/passkeys', () => listOf());
  answer('post', '/passkeys/options', () => ok(OPTIONS));
  const refuse = () => askForProof('password');
  const calls = answer('post', '/passkeys', refuse, () => ok(passkey, 201));
  const user = await openSite('/settings/security');
  await user.click(await screen.findByRole('button', { name: ADD }));
  return { ...authenticator, user, calls };
}
