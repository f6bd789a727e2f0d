import { takeLinkTokens } from '../url/link-tokens';
import { holdInput } from './held-input';
import { showLoadFailure } from './load-failure';
import { sendEarlyRequests } from './requests';
import { afterFirstPaint, loadWithRetry } from './scripts';

// The inline script of the page, which runs before other files are loaded and imports no library. The content security
// policy allows the script by its digest (src/http/pages/template.rs).

const page = document.documentElement;

// The secret of a mailed link leaves the URL first, so that no later HTTP request has it in the referrer.
if (!takeLinkTokens() && (history.state?.link || history.state?.done)) {
  // After a reload, the server sends the page that was prerendered without the secret or the result. The style sheet
  // hides that screen until the scripts have mounted the screen with its history state.
  page.dataset.link = 'kept';
}

const heldInput = holdInput();
const responses = sendEarlyRequests();

window.early = {
  mounted(part) {
    if (part === 'screen') {
      delete page.dataset.link;
      // A later request needs a newer response.
      responses.clear();
    }
    heldInput.replay(part);
  },
  response: (path) => responses.get(path),
};

afterFirstPaint()
  .then(() => loadWithRetry(importEntry))
  .catch((error: unknown) => {
    delete page.dataset.link;
    heldInput.fail(showLoadFailure());
    // The error is logged, because the page itself only states that the server is unreachable.
    throw error;
  });

function importEntry(): Promise<unknown> {
  const { href } = document.getElementById('entry') as HTMLLinkElement;
  return import(/* @vite-ignore */ href);
}
