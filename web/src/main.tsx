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

/** Runs a task of low priority once the page is loaded and the browser is idle. */
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
  // A browser without declarative shadow roots leaves the templates of header and footer in the DOM. These templates
  // are removed, and header and footer are fetched.
  for (const template of root.querySelectorAll('template')) template.remove();
  // The page contains a prerendered screen if the server has one for the URL (src/http/pages/screens.rs).
  if (root.hasChildNodes()) {
    // The first render must equal the prerendered page. The hydration is a transition, so that input interrupts it.
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

const root = document.getElementById('root') as HTMLElement;

const bootBlock = readBootBlock(document);
if (bootBlock) {
  startApp(bootBlock, root);
} else {
  import('./boot-fallback')
    .then(({ fetchBootBlock: fetchBoot }) => fetchBoot())
    .then((fetched) => startApp(fetched, root))
    .catch(logFailure);
}
