/**
 * Runs before the scripts of a page. Sets the screen's URL, answers the API calls from the table of gallery states, and
 * then runs the steps of the state.
 */
import { answerOf } from './answers.ts';
import { runSteps } from './run-steps.ts';
import type { State } from './state.ts';
import { STORIES } from './states.ts';

const query = new URLSearchParams(location.search);
const parameter = (key: string) => query.get(key) ?? '';
const story = STORIES.find(
  ({ screen, name }) => screen === parameter('screen') && name === parameter('state'),
);
if (!story) throw new Error('the table has no such state');
const { state } = story;

history.replaceState(state.history ?? null, '', state.path);
// The screen is rendered on the client instead of hydrated, so that every visible button works when the steps run.
document.getElementById('root')?.replaceChildren();
if (state.answers?.['GET /users/me']) changeBootBlock((boot) => ({ ...boot, session: true }));
if (state.form) changeBootBlock((boot) => withForm(boot, state.form));
if (state.signingInTo) changeBootBlock((boot) => signingInTo(boot, state.signingInTo));

const fetchFromServer = window.fetch.bind(window);
window.fetch = async (input, init) => {
  const request = new Request(input, init);
  return (
    (await answerOf(state, request, parameter('region'), parameter('lang'))) ??
    fetchFromServer(request)
  );
};

// The gallery has no authenticator, so a stub creates a passkey at once.
if (navigator.credentials) {
  navigator.credentials.create = async () =>
    Object.create(PublicKeyCredential.prototype, { toJSON: { value: () => ({}) } });
}

// A download would save a file on the viewer's machine.
const follow = HTMLAnchorElement.prototype.click;
HTMLAnchorElement.prototype.click = function click() {
  if (!this.download) follow.call(this);
};

// No redirect timer runs and no navigation leaves the page, so that the screen stays in its state.
const startTimer = window.setTimeout.bind(window);
window.setTimeout = ((handler: TimerHandler, delay = 0, ...rest: unknown[]) =>
  delay >= 2000 ? 0 : startTimer(handler, delay, ...rest)) as typeof window.setTimeout;
window.navigation?.addEventListener('navigate', (event) => {
  if (!event.destination.sameDocument) event.preventDefault();
});

document.addEventListener('DOMContentLoaded', async () => {
  await runSteps(state);
  // The browser tests wait for the attribute that is set here.
  document.documentElement.dataset.state = 'reached';
});

interface BootBlock {
  session: boolean;
  config: { region: object; signing_in_to?: string | undefined };
}

/** Changes the boot block of the server, which has no session and has the migration form of the region. */
function changeBootBlock(change: (boot: BootBlock) => BootBlock): void {
  const block = document.getElementById('boot');
  if (block) block.textContent = JSON.stringify(change(JSON.parse(block.textContent)));
}

function withForm(boot: BootBlock, migration_form: State['form']): BootBlock {
  return { ...boot, config: { ...boot.config, region: { ...boot.config.region, migration_form } } };
}

function signingInTo(boot: BootBlock, signing_in_to: State['signingInTo']): BootBlock {
  return { ...boot, config: { ...boot.config, signing_in_to } };
}
