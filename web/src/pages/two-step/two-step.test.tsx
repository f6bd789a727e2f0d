import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import words from '../../../../locales/en.json';
import { loadPage } from '../../loading/load-page';
import { ada, answer, config, ok, refusal, security } from '../../testing/api';
import { askForProof } from '../../testing/responses';
import { announcer, expectLink, openSite } from '../../testing/site';
// The lazy screens are imported before the tests, so that no test waits for an import.
import '../../features/reauthentication/reauthentication-dialog';
import '../security/security';
import './two-step';

vi.mock('../../loading/load-page');

const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0"/></svg>';
const codes = ['AAAA-BBBB-CCCC-DDDD', 'EEEE-FFFF-GGGG-HHHH'];
const path = '/settings/security/two-step';
const host = { ...config, passkeys: { enabled: false, offer: false } };

beforeEach(() => {
  vi.mocked(loadPage).mockClear();
  answer('post', '/second-factor/totp', () => ok({ secret, uri: 'otpauth://totp', qr_svg: svg }));
});

const open = async () => {
  const user = await openSite(path, host);
  const field = await screen.findByRole('textbox', { name: 'Code' });
  return { user, field };
};

/** Clicks a button and awaits the render, because the next screen first loads its script. */
async function leaveBy(name: string): Promise<void> {
  await act(async () => {
    fireEvent.click(screen.getByRole('button', { name }));
  });
}

/** Stubs the clipboard. Returns the list of copied texts. */
function copied(): string[] {
  const texts: string[] = [];
  const writeText = async (text: string) => void texts.push(text);
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue({ writeText } as unknown as Clipboard);
  return texts;
}

test('the QR code is an image, and the key is text in groups of four', async () => {
  const { user } = await open();
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(
    'Set up two-step verification',
  );
  const image = screen.getByRole('img', { name: 'QR code' });
  expect(decodeURIComponent(image.getAttribute('src') ?? '')).toBe(`data:image/svg+xml,${svg}`);
  expect(screen.getByText('JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP')).toBeVisible();
  const texts = copied();
  const button = screen.getByRole('button', { name: 'Copy key' });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  await user.click(button);
  await waitFor(() => expect(button).toHaveTextContent('Copied ✓'));
  expect(announcer()).toHaveTextContent('Copied');
  expect(texts).toEqual([secret]);
  act(() => void vi.advanceTimersByTime(4_000));
  expect(button).toHaveTextContent('Copy key');
  vi.useRealTimers();
});

test('on a touch device a link opens the app, and the QR code is folded', async () => {
  vi.stubGlobal('matchMedia', (media: string) => ({ media, matches: true }));
  const { user } = await open();
  expectLink('Open authenticator app', 'otpauth://totp');
  const image = screen.getByAltText('QR code');
  expect(image.closest('details')).not.toHaveAttribute('open');
  await user.click(screen.getByText('Show a QR code for another device'));
  expect(image.closest('details')).toHaveAttribute('open');
  vi.unstubAllGlobals();
});

test('a reload resumes the set-up, and a new start replaces it', async () => {
  const calls = answer('post', '/second-factor/totp', () =>
    ok({ secret, uri: 'otpauth://totp', qr_svg: svg }),
  );
  answer('post', '/second-factor/totp/confirm', () => refusal(400, 'invalid_token', 'Expired.'));
  const { user, field } = await open();
  await user.type(field, '123456{Enter}');
  await user.click(await screen.findByRole('button', { name: 'Start again' }));
  await screen.findByRole('textbox', { name: 'Code' });
  expect(calls.map(({ body }) => body)).toEqual([{ resume: true }, { resume: false }]);
});

test('without clipboard access the user is told to select the key', async () => {
  const { user } = await open();
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(undefined as unknown as Clipboard);
  await user.click(screen.getByRole('button', { name: 'Copy key' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('select the text');
});

test('a failed set-up can be retried: the first failure keeps the focus, a further one takes it', async () => {
  answer('post', '/second-factor/totp', () => refusal(503, 'unavailable', 'A short break.'));
  const user = await openSite(path, host);
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('A short break.');
  expect(alert).not.toHaveFocus();
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  await waitFor(() => expect(screen.getByRole('alert')).toHaveFocus());
  answer('post', '/second-factor/totp', () => ok({ secret, uri: '', qr_svg: svg }));
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('img', { name: 'QR code' })).toBeVisible();
});

test('a right code turns it on, and the recovery codes can be copied and downloaded', async () => {
  const calls = answer('post', '/second-factor/totp/confirm', () => ok({ recovery_codes: codes }));
  answer('get', '/users/me', () => ok(ada));
  const { user, field } = await open();
  await user.type(field, '123 456{Enter}');
  const heading = await screen.findByRole('heading', { level: 1, name: 'Your recovery codes' });
  await waitFor(() => expect(heading).toHaveFocus());
  expect(calls.map(({ body }) => body)).toEqual([{ code: '123456' }]);
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual(codes);
  expect(screen.queryByRole('img', { name: 'QR code' })).not.toBeInTheDocument();

  const texts = copied();
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  expect(texts).toEqual([codes.join('\n')]);

  let file: unknown;
  URL.createObjectURL = (content) => {
    file = content;
    return 'blob:sample';
  };
  let link: HTMLAnchorElement | undefined;
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
    this: HTMLAnchorElement,
  ) {
    link = this;
  });
  const asksBeforeLeaving = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }));
  expect(asksBeforeLeaving()).toBe(true);
  await user.click(screen.getByRole('button', { name: 'Download' }));
  expect(await screen.findByRole('button', { name: 'Downloaded' })).toBeVisible();
  expect(asksBeforeLeaving()).toBe(false);
  expect(link?.download).toBe('recovery-codes-localhost.txt');
  expect(link?.href).toBe('blob:sample');
  const today = new Intl.DateTimeFormat('en-US', { dateStyle: 'long' }).format();
  expect(await (file as Blob).text()).toBe(
    `Couch & Moon\n${location.origin}\nada@example.com\n${today}\n\nYour recovery codes\n\n${codes.join('\n')}\n`,
  );

  await leaveBy('I have saved them');
  await waitFor(() => expect(location.pathname).toBe('/account/settings/security'));
});

test('after the recovery codes are saved, a step back does not open the set-up again', async () => {
  history.replaceState(null, '', '/account/settings/security?before');
  history.pushState(null, '', '/account/');
  answer('post', '/second-factor/totp/confirm', () => ok({ recovery_codes: codes }));
  const { user, field } = await open();
  await user.type(field, '123456{Enter}');
  await screen.findByRole('heading', { level: 1, name: 'Your recovery codes' });
  await leaveBy('I have saved them');
  await waitFor(() => expect(location.pathname).toBe('/account/settings/security'));
  history.back();
  await waitFor(() => expect(location.search).toBe('?before'));
});

test.each(['code_invalid', 'code_reused'] as const)('%s is shown at the field', async (code) => {
  answer('post', '/second-factor/totp/confirm', () => refusal(401, code, 'No.'));
  const { user, field } = await open();
  await user.type(field, '123456{Enter}');
  await waitFor(() => expect(field).toBeInvalid());
  expect(field).toHaveFocus();
  expect(screen.getByRole('alert')).toHaveTextContent(words.error[code]);
  expect(location.pathname).toBe(`/account${path}`);
});

test('an expired secret is replaced', async () => {
  answer('post', '/second-factor/totp/confirm', () => refusal(400, 'invalid_token', 'Expired.'));
  const { user, field } = await open();
  await user.type(field, '123456{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent('Please start the setup again.');
  expect(screen.queryByRole('img')).not.toBeInTheDocument();
  const next = { secret: 'MZXW6YTBOI======', uri: 'otpauth://totp', qr_svg: svg };
  answer('post', '/second-factor/totp', () => ok(next));
  await user.click(screen.getByRole('button', { name: 'Start again' }));
  expect(await screen.findByText(/^MZXW 6YTB/)).toBeVisible();
  expect(screen.getByRole('heading', { level: 1 })).toHaveFocus();
  expect(screen.getByRole('textbox', { name: 'Code' })).toHaveValue('');
});

test('an account with a second factor is not set up again', async () => {
  answer('post', '/second-factor/totp', () => refusal(409, 'second_factor_enabled', 'It is on.'));
  await openSite(path);
  const status = await screen.findByRole('status');
  expect(status).toHaveTextContent('is already on.');
  expect(status).toHaveTextContent('Didn’t save your recovery codes?');
  expectLink('Back to Security', '/account/settings/security');
});

test('a cancelled reauthentication returns to the security screen', async () => {
  answer('post', '/second-factor/totp', () => askForProof('password'));
  await openSite(path, host);
  const dialog = await screen.findByRole('dialog', { name: 'Confirm it’s you' });
  expect(dialog).toBeVisible();
  await leaveBy('Cancel');
  await waitFor(() => expect(location.pathname).toBe('/account/settings/security'));
});

const continued = {
  ...host,
  signing_in_to: 'Couch Wiki',
  signed_in_home: '/account/oidc/authorize?continue=t.s',
};

test('an application that requires the second factor continues after the set-up', async () => {
  answer('post', '/second-factor/totp/confirm', () => ok({ recovery_codes: codes }));
  const user = await openSite(path, continued);
  await user.type(await screen.findByRole('textbox', { name: 'Code' }), '123456');
  expect(screen.getByText('Couch Wiki asks for a second step when you sign in.')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Turn on' }));
  await user.click(await screen.findByRole('button', { name: 'I have saved them' }));
  expect(loadPage).toHaveBeenCalledExactlyOnceWith(continued.signed_in_home);
});

test('an account with a second factor enters a code and continues', async () => {
  answer('post', '/second-factor/totp', () => refusal(409, 'second_factor_enabled', 'It is on.'));
  await openSite(path, continued);
  await waitFor(() => expect(loadPage).toHaveBeenCalledWith(continued.signed_in_home));
});

test('an account with a passkey is asked for it and can set up an app instead', async () => {
  answer('get', '/security', () => ok({ ...security, passkeys: 1 }));
  const user = await openSite(path, continued);
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect(await screen.findByRole('textbox', { name: 'Code' })).toBeVisible();
  expect(loadPage).not.toHaveBeenCalled();
});
