import './styles/tokens.css';
import './styles/base.css';
import './styles/landscape.css';
import { StrictMode, startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { setEmbeddedFragments } from './api/fragment';
import { logFailure } from './api/message';
import { type BootBlock, readBootBlock } from './boot';
import { startSessionHint } from './browser/session-hint';
import { ConfigProvider } from './config';
import { startTranslations } from './i18n/load';
import { App, loadFirstScreen } from './router';
import { takeLinkTokens } from './url/link-tokens';

takeLinkTokens();

/** Runs a task of low priority when the page has loaded and the browser is idle. */
function whenIdle(work: () => void): void {
  const idle = () => (window.requestIdleCallback ?? setTimeout)(work);
  if (document.readyState === 'complete') idle();
  else window.addEventListener('load', idle, { once: true });
}

function startApp(boot: BootBlock, root: HTMLElement): void {
  const { language, config, session, fragments, translations } = boot;
  startSessionHint(session !== false);
  if (fragments) setEmbeddedFragments(language, fragments);
  startTranslations(language, translations);
  const site = (
    <StrictMode>
      <ConfigProvider value={config}>
        <App />
      </ConfigProvider>
    </StrictMode>
  );
  // A browser without declarative shadow roots leaves the templates in the DOM. The templates are removed, and header
  // and footer are fetched instead.
  for (const template of root.querySelectorAll('template')) template.remove();
  // The screen is prerendered if the server has a page for the URL (src/http/pages/screens.rs).
  if (root.hasChildNodes()) {
    // The first render must equal the prerendered page. As a transition, the hydration pauses for input.
    loadFirstScreen(location.pathname).then(() => {
      startTransition(() => void hydrateRoot(root, site));
    });
  } else {
    createRoot(root).render(site);
  }
  if (config.region.consent) {
    whenIdle(() => {
      import('./shell/consent').then(({ startConsent }) => startConsent(config.region), logFailure);
    });
  }
}

const root = document.getElementById('root');
if (!root) throw new Error('the page has no element with the id "root"');

const bootBlock = readBootBlock(document);
if (bootBlock) {
  startApp(bootBlock, root);
} else {
  import('./boot-fallback')
    .then(({ fetchBootBlock: fetchBoot }) => fetchBoot())
    .then((fetched) => startApp(fetched, root))
    .catch(logFailure);
}
