/**
 * Put before the scripts of a page of ours: goes to the address of the screen, answers its calls as
 * the table of states says, and then does what the visitor does.
 */
import { answerOf } from './answers.ts';
import { play } from './play.ts';
import { PLACES } from './states.ts';

const query = new URLSearchParams(location.search);
const wanted = (key: string) => query.get(key) ?? '';
const place = PLACES.find(
  ({ screen, name }) => screen === wanted('screen') && name === wanted('state'),
);
if (!place) throw new Error('the table has no such state');
const { state } = place;

history.replaceState(state.history ?? null, '', state.path);
// Drawn here and now, and not taken over from the server: what is there to press then works.
document.getElementById('root')?.replaceChildren();
if (state.answers?.['GET /users/me']) expectSession();

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
  await play(state);
  // For whoever takes pictures.
  document.documentElement.dataset.state = 'reached';
});

/** The server saw no session here, and says so to the page. */
function expectSession(): void {
  const block = document.getElementById('boot');
  if (block)
    block.textContent = JSON.stringify({ ...JSON.parse(block.textContent), session: true });
}
