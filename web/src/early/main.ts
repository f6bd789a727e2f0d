import { takeLinkTokens } from '../url/link-tokens';
import { holdInput } from './held-input';
import { showLoadFailure } from './load-failure';
import { afterFirstPaint, loadWithRetry } from './scripts';

// The inline script of the page: it runs before other files are loaded, so it imports no library. The server allows it
// in the content security policy by its digest (src/http/pages/template.rs).

const page = document.documentElement;

// Runs first, so that no later request has the secret in its referrer.
if (!takeLinkTokens() && history.state?.link) {
  // A reload: the page was prerendered without the link. The style sheet hides that screen until the scripts have
  // mounted the one with the link.
  page.dataset.link = 'kept';
}

const held = holdInput();

window.early = {
  mounted(part) {
    if (part === 'screen') delete page.dataset.link;
    held.replay(part);
  },
};

afterFirstPaint()
  .then(() => loadWithRetry(importEntry))
  .catch((error: unknown) => {
    delete page.dataset.link;
    held.fail(showLoadFailure());
    // For the console: the page itself only states that the server is unreachable.
    throw error;
  });

function importEntry(): Promise<unknown> {
  const { href } = document.getElementById('entry') as HTMLLinkElement;
  return import(/* @vite-ignore */ href);
}
