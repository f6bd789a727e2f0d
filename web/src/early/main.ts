import { takeLinkTokens } from '../url/link-tokens';
import { holdInput } from './held-input';
import { showLoadFailure } from './load-failure';
import { sendEarlyRequests } from './requests';
import { afterFirstPaint, loadWithRetry } from './scripts';

// The inline script of the page, which runs before other files are loaded and imports no library. The content security
// policy allows the script by its hash (src/http/pages/template.rs).

const page = document.documentElement;

// First, the secret of a mailed link is removed from the URL, so that no later request sends it as the referrer.
if (!takeLinkTokens() && (history.state?.link || history.state?.done)) {
  // The history state has the secret of a mailed link or a result, but the server has prerendered the page without
  // either. CSS hides that page until the scripts have mounted the screen.
  page.dataset.link = 'kept';
}

const heldInput = holdInput();
const responses = sendEarlyRequests();

window.early = {
  mounted(part) {
    if (part === 'screen') {
      delete page.dataset.link;
      // The early responses are only for the first screen, because later they are out of date.
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
    // The error is thrown again to log it, because the page only states that the server is unreachable.
    throw error;
  });

function importEntry(): Promise<unknown> {
  const { href } = document.getElementById('entry') as HTMLLinkElement;
  return import(/* @vite-ignore */ href);
}
