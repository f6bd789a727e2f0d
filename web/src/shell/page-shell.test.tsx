import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { HttpResponse } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import german from '../../../locales/de.json';
import { answer, pendingResponse, refusal } from '../testing/api';
import { announcer, openSite } from '../testing/site';
import '../pages/not-found/not-found';
import '../pages/password-reset/reset-password';

beforeEach(() => {
  // biome-ignore lint/suspicious/noDocumentCookie: the screens set it so
  document.cookie = 'account_language=; Path=/; Max-Age=0';
});

const part = (name: string) =>
  document.querySelector(`[data-part="${name}"]`)?.shadowRoot as ShadowRoot;

/** Finds the first language menu. The page has two, of which the style sheet (absent in tests) hides one. */
async function languageButton(): Promise<HTMLElement> {
  const [button] = await screen.findAllByRole('button', { name: /^Language: / });
  return button as HTMLElement;
}

test('header and footer surround the screen, each in its own shadow root', async () => {
  const calls = answer('get', '/ui/header', () => HttpResponse.html('<header>Hello</header>'));
  await openSite('/');
  await waitFor(() => expect(part('header')).toHaveTextContent('Hello'));
  await waitFor(() => expect(part('footer')).toHaveTextContent('the footer'));
  expect(calls[0]?.url.searchParams.get('domain')).toBe('localhost');
  // If the HTML of a fragment has its own landmark, its element gets no role.
  expect(document.querySelector('[data-part="header"]')).not.toHaveAttribute('role');
  expect(document.querySelector('[data-part="footer"]')).toHaveAttribute('role', 'contentinfo');
});

test('no script or resource of a header runs or loads', async () => {
  answer('get', '/ui/header', () =>
    HttpResponse.html(
      `<style>a{color:red}</style><script>window.ran=1</script><iframe src="/x"></iframe>
       <a href="javascript:alert(1)" onclick="alert(2)">Home</a><img src="x" onerror="alert(3)">`,
    ),
  );
  await openSite('/');
  await waitFor(() => expect(part('header')).toHaveTextContent('Home'));
  expect(part('header').querySelector('script, iframe, style')).toBeNull();
  const link = part('header').querySelector('a');
  expect(link?.getAttributeNames()).toEqual([]);
  expect(part('header').querySelector('img')?.getAttributeNames()).toEqual(['src']);
  expect(window).not.toHaveProperty('ran');
});

test('a header that fails to load is logged and stays empty', async () => {
  answer('get', '/ui/header', () => refusal(502, 'fragment_unavailable', 'Taking a break.'));
  await openSite('/');
  await waitFor(() => expect(screen.getByRole('heading', { name: 'Sign in' })).toBeVisible());
  await waitFor(() =>
    expect(console.error).toHaveBeenCalledWith('Failed to perform request, received status 502'),
  );
  expect(part('header')).toBeNull();
});

test('the language changes without a reload and is remembered', async () => {
  const calls = answer('get', '/translations/de', () => HttpResponse.json(german));
  const user = await openSite('/');
  await screen.findByRole('heading', { name: 'Sign in' });
  await user.click(await languageButton());
  const items = within(screen.getByRole('menu')).getAllByRole('menuitemradio');
  expect(items.map((item) => item.textContent)).toEqual([
    'Englishen',
    'Deutschde',
    'Españoles',
    'Português (Brasil)pt',
  ]);
  expect(items[0]).toBeChecked();
  expect(items[0]).toHaveFocus();
  await user.keyboard('{ArrowDown}{Enter}');

  await waitFor(() =>
    expect(screen.getByRole('heading', { level: 1, name: 'Anmelden' })).toBeVisible(),
  );
  expect(document.documentElement.lang).toBe('de');
  expect(document.title).toBe('Anmelden · Couch & Moon');
  expect(document.cookie).toContain('account_language=de');
  expect(screen.getAllByRole('button', { name: 'Sprache: Deutsch' })[0]).toHaveFocus();
  expect(announcer()).toHaveTextContent('Sprache: Deutsch');
  await user.tab();
  expect(announcer()).toBeEmptyDOMElement();
  expect(calls).toHaveLength(1);
});

test('a language is shown as loading and announced', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const texts = pendingResponse();
  answer('get', '/translations/pt', () => texts.response);
  const user = await openSite('/');
  await user.click(await languageButton());
  await user.click(screen.getByRole('menuitemradio', { name: /Português/ }));
  const shown = await screen.findByText('Loading Português (Brasil)…', { selector: 'p' });
  expect(shown).toBeVisible();
  expect(announcer()).toHaveTextContent('Loading Português (Brasil)…');
  texts.arrive(new HttpResponse(null, { status: 404 }));
  expect(await screen.findByRole('alert')).toHaveTextContent('We couldn’t load that language.');
  await waitFor(() => expect(announcer()).toBeEmptyDOMElement());
});

test('a language that fails to load leaves the texts unchanged', async () => {
  answer('get', '/translations/es', () => new HttpResponse(null, { status: 404 }));
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const user = await openSite('/');
  await screen.findByRole('heading', { name: 'Sign in' });
  await user.click(await languageButton());
  await user.click(screen.getByRole('menuitemradio', { name: /Español/ }));
  expect(await screen.findByRole('alert')).toHaveTextContent('We couldn’t load that language.');
  expect(screen.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  expect(document.cookie).not.toContain('account_language');
  expect(logged).toHaveBeenCalledExactlyOnceWith('the texts in "es" could not be loaded');
});

test('the menu supports the keys of the ARIA pattern', async () => {
  const user = await openSite('/');
  await screen.findByRole('heading', { name: 'Sign in' });
  const button = await languageButton();
  await user.click(button);
  await user.keyboard('{End}');
  expect(screen.getByRole('menuitemradio', { name: /Português/ })).toHaveFocus();
  await user.keyboard('{ArrowDown}');
  expect(screen.getByRole('menuitemradio', { name: /English/ })).toHaveFocus();
  await user.keyboard('{ArrowUp}{Home}d');
  expect(screen.getByRole('menuitemradio', { name: /Deutsch/ })).toHaveFocus();
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('menu')).not.toBeInTheDocument();
  expect(button).toHaveFocus();
});

test('the button closes the menu in browsers that do not focus a clicked button', async () => {
  const user = await openSite('/');
  const button = await languageButton();
  await user.click(button);
  expect(fireEvent.mouseDown(button)).toBe(false);
  expect(screen.getByRole('menuitemradio', { name: /English/ })).toHaveFocus();
  fireEvent.click(button);
  expect(screen.queryByRole('menu')).not.toBeInTheDocument();
  expect(button).toHaveFocus();
});

test.each([
  ['leaves the menu', (user: UserEvent) => user.tab()],
  ['opens the menu', (user: UserEvent) => user.keyboard('{Enter}')],
])('the message of a failed language ends when the focus %s', async (_when, act) => {
  answer('get', '/translations/es', () => new HttpResponse(null, { status: 404 }));
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const user = await openSite('/');
  await user.click(await languageButton());
  await user.click(screen.getByRole('menuitemradio', { name: /Español/ }));
  await screen.findByRole('alert');
  await act(user);
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('the skip link moves the focus and keeps the secret of a mailed link', async () => {
  const user = await openSite('/reset-password?token=secret');
  await screen.findByRole('heading', { level: 1 });
  const { length } = history;
  await user.click(screen.getByRole('link', { name: 'Skip to content' }));
  expect(document.getElementById('content')).toHaveFocus();
  expect(location.hash).toBe('');
  expect(history.length).toBe(length);
  expect(history.state.link).toEqual({ token: 'secret' });
});

test('an unknown address shows a not-found screen with a link back', async () => {
  const user = await openSite('/no/such/place');
  await waitFor(() =>
    expect(screen.getByRole('heading', { name: 'Page not found' })).toBeVisible(),
  );
  await user.click(screen.getByRole('link', { name: 'Go to sign in' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Sign in' })).toHaveFocus();
});
