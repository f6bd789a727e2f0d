import './styles/tokens.css';
import './styles/base.css';
import './styles/landscape.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { report } from './api/message';
import { type Boot, readBoot } from './boot';
import { ConfigProvider } from './config';
import { startTranslations } from './i18n';
import { App } from './router';
import { takeLinkTokens } from './use-link-token';

takeLinkTokens();

function start({ language, config, translations }: Boot, place: HTMLElement): void {
  startTranslations(language, translations);
  createRoot(place).render(
    <StrictMode>
      <ConfigProvider value={config}>
        <App />
      </ConfigProvider>
    </StrictMode>,
  );
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
