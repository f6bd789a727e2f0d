import '../styles/tokens.css';
import '../styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { readBoot } from '../boot';
import { ConfigProvider } from '../config';
import { startTranslations } from '../i18n/load';
import { SupportApp } from './support-app';

const root = document.getElementById('root');
const boot = readBoot(document);
if (!root || !boot) throw new Error('the page has no root or no data');
startTranslations(boot.language, boot.translations);
createRoot(root).render(
  <StrictMode>
    <ConfigProvider value={boot.config}>
      <SupportApp />
    </ConfigProvider>
  </StrictMode>,
);
