/**
 * Put before the scripts of a page of ours: goes to the address of the screen, answers its calls as
 * the table of states says, and then does what the visitor does.
 */
import { answerOf } from './answers.ts';
import { runSteps } from './run-steps.ts';
import type { State } from './state.ts';
import { STORIES } from './states.ts';

const query = new URLSearchParams(location.search);
const wanted = (key: string) => query.get(key) ?? '';
const story = STORIES.find(
  ({ screen, name }) => screen === wanted('screen') && name === wanted('state'),
);
if (!story) throw new Error('the table has no such state');
const { state } = story;

history.replaceState(state.history ?? null, '', state.path);
// Drawn here and now, and not taken over from the server: what is there to press then works.
document.getElementById('root')?.replaceChildren();
if (state.answers?.['GET /users/me']) changeBoot((boot) => ({ ...boot, session: true }));
if (state.form) changeBoot((boot) => withForm(boot, state.form));

const fetchFromServer = window.fetch.bind(window);
window.fetch = async (input, init) => {
  const asked = new Request(input, init);
  return (await answerOf(state, asked, wanted('region'), wanted('lang'))) ?? fetchFromServer(asked);
};

// A state stays as it is: no screen goes on by itself, and no success leaves for another page.
const startTimer = window.setTimeout.bind(window);
window.setTimeout = ((handler: TimerHandler, delay = 0, ...rest: unknown[]) =>
  delay >= 2000 ? 0 : startTimer(handler, delay, ...rest)) as typeof window.setTimeout;
window.navigation?.addEventListener('navigate', (event) => {
  if (!event.destination.sameDocument) event.preventDefault();
});

document.addEventListener('DOMContentLoaded', async () => {
  await runSteps(state);
  // For whoever takes pictures.
  document.documentElement.dataset.state = 'reached';
});

interface Boot {
  session: boolean;
  config: { region: object };
}

/** What the server told the page: it saw no session here, and the region has a form of its own. */
function changeBoot(change: (boot: Boot) => Boot): void {
  const block = document.getElementById('boot');
  if (block) block.textContent = JSON.stringify(change(JSON.parse(block.textContent)));
}

function withForm(boot: Boot, migration_form: State['form']): Boot {
  return { ...boot, config: { ...boot.config, region: { ...boot.config.region, migration_form } } };
}
