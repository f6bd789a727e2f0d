import { render, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import words from '../../locales/en.json';
import { answerOf } from '../gallery/answers';
import { runSteps } from '../gallery/run-steps';
import type { Answers } from '../gallery/state';
import { STORIES } from '../gallery/states';
import { ConfigProvider } from './config';
import { SupportApp } from './support/support-app';
import { config } from './testing/api';
import { stubPasskeys } from './testing/authenticator';
import { openSite } from './testing/site';
import { translateDocument } from './testing/translator';

vi.mock('./browser/save-file');
vi.mock('./loading/load-page');

translateDocument();

/** The messages of the exceptions that nobody has caught. */
let thrown: string[] = [];
addEventListener('error', ({ message }) => thrown.push(message));

const NO_FRAGMENTS: Answers = { 'GET /ui/header': 'unavailable', 'GET /ui/footer': 'unavailable' };
/** The state whose screen fails on purpose. */
const BROKEN = 'shell: error';

const next = () => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => {
  thrown = [];
  // The fake servers return errors, which the screens log.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  // The steps of a state wait for the page without `act`, and as briefly as possible.
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run));
  // A pressed button may have saved a choice, for example "Not now" to a passkey.
  for (const [cookie] of document.cookie.matchAll(/\w+=/g)) {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
    document.cookie = `${cookie}; Path=/; Max-Age=0`;
  }
  localStorage.clear();
  sessionStorage.clear();
});

const stories = STORIES.map(({ screen, name, state }) => [`${screen}: ${name}`, state] as const);

test.each(stories.filter(([name]) => name !== BROKEN))(
  'the state "%s" and its buttons work while the browser translates the page',
  async (_, state) => {
    const answers = { ...NO_FRAGMENTS, ...state.answers };
    vi.spyOn(window, 'fetch').mockImplementation(async (input, { method = 'GET' } = {}) => {
      const request = new Request(new URL(String(input), location.href), { method });
      return (await answerOf({ ...state, answers }, request, '', 'en')) ?? Response.json(words);
    });
    stubPasskeys();
    // A page redeems the token of a link once.
    const path = state.path.slice('/account'.length).replace('=sample', `=${crypto.randomUUID()}`);
    if (path.startsWith('/support')) {
      history.replaceState(null, '', state.path);
      render(
        <ConfigProvider value={config}>
          <SupportApp />
        </ConfigProvider>,
      );
    } else {
      const { form = config.region.migration_form, signingInTo, history: entry = null } = state;
      const region = { ...config.region, migration_form: form };
      const host = { ...config, region, signing_in_to: signingInTo ?? null };
      await openSite(path, host, 'GET /users/me' in answers, entry);
    }
    await runSteps(state);
    expect(document.querySelector('main font')).not.toBeNull();
    for (const button of document.querySelectorAll<HTMLElement>('main button')) {
      button.click();
      await next();
      await next();
    }
    expect(thrown).toEqual([]);
    expect(screen.queryByText(words.shell.error_title)).toBeNull();
  },
);
