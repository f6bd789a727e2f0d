import '../styles/tokens.css';
import '../styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { readBootBlock } from '../boot';
import { ConfigProvider } from '../config';
import { startTranslations } from '../i18n/load';
import { SupportApp } from './support-app';

const root = document.getElementById('root');
const bootBlock = readBootBlock(document);
if (!root || !bootBlock) throw new Error('the page has no root or no data');
startTranslations(bootBlock.language, bootBlock.translations);
createRoot(root).render(
  <StrictMode>
    <ConfigProvider value={bootBlock.config}>
      <SupportApp />
    </ConfigProvider>
  </StrictMode>,
);
