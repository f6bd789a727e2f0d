import './styles/tokens.css';
import './styles/base.css';
import './styles/landscape.css';
import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { setEmbeddedFragments } from './api/fragment';
import { report } from './api/message';
import { type Boot, readBoot } from './boot';
import { ConfigProvider } from './config';
import { startTranslations } from './i18n';
import { App } from './router';
import { setSessionPossible } from './session-hint';
import { takeLinkTokens } from './use-link-token';

takeLinkTokens();

/** What nobody waits for: after the page is there and its first work is done. */
function afterwards(work: () => void): void {
  const idle = () => (window.requestIdleCallback ?? setTimeout)(work);
  if (document.readyState === 'complete') idle();
  else window.addEventListener('load', idle, { once: true });
}

function start(boot: Boot, place: HTMLElement): void {
  const { language, config, session, fragments, translations } = boot;
  setSessionPossible(session !== false);
  if (fragments) setEmbeddedFragments(language, fragments);
  startTranslations(language, translations);
  const site = (
    <StrictMode>
      <ConfigProvider value={config}>
        <App />
      </ConfigProvider>
    </StrictMode>
  );
  // Of a browser too old to make shadow roots of them: header and footer are fetched then.
  for (const root of place.querySelectorAll('template')) root.remove();
  // The server has drawn the screen already, where it could (src/pages/screens.rs).
  if (place.hasChildNodes()) hydrateRoot(place, site);
  else createRoot(place).render(site);
  if (config.region.consent) {
    afterwards(() => {
      import('./shell/consent').then(({ startConsent }) => startConsent(config.region), report);
    });
  }
}

const place = document.getElementById('root');
if (!place) throw new Error('the page has no element with the id "root"');

const boot = readBoot(document);
if (boot) {
  start(boot, place);
} else {
  import('./boot-fallback')
    .then(({ fetchBoot }) => fetchBoot())
    .then((fetched) => start(fetched, place))
    .catch(report);
}
