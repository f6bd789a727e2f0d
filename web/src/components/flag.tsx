import { useConfig } from '../config';
import { useClientValue } from '../hooks/use-client-value';
import type { Language } from '../languages';

const FIELD = 'M0 0h24v16H0z';

/** The shapes of each flag from back to front, as colour and path, without details that 24 pixels cannot show. */
const FLAGS: Readonly<Record<Language | 'gb', readonly (readonly [fill: string, d: string])[]>> = {
  en: [
    ['#fff', FIELD],
    ['#b23', 'M0 0h24v2H0zm0 4h24v2H0zm0 4h24v2H0zm0 4h24v2H0z'],
    ['#347', 'M0 0h11v8H0z'],
  ],
  gb: [
    ['#347', FIELD],
    ['#fff', 'M0 0h3l21 14v2h-3L0 2zm24 0h-3L0 14v2h3L24 2zM9 0h6v16H9zM0 5h24v6H0z'],
    ['#b23', 'M10.5 0h3v16h-3zM0 6.5h24v3H0z'],
  ],
  de: [
    ['#000', FIELD],
    ['#d00', 'M0 5.3h24V16H0z'],
    ['#fc0', 'M0 10.7h24V16H0z'],
  ],
  // The texts are written in the Spanish of Latin America, so the flag is that of Mexico.
  es: [
    ['#fff', FIELD],
    ['#064', 'M0 0h8v16H0z'],
    ['#c12', 'M16 0h8v16h-8z'],
    ['#853', 'M10 8a2 2 0 0 0 4 0a2 2 0 0 0-4 0'],
  ],
  pt: [
    ['#093', FIELD],
    ['#fd0', 'M12 1.8 22 8l-10 6.2L2 8z'],
    ['#026', 'M8.6 8a3.4 3.4 0 0 0 6.8 0a3.4 3.4 0 0 0-6.8 0'],
  ],
};

/** A decorative flag for a language. English has the British flag in a British region, else the US flag. */
export function Flag({ language }: { language: Language }) {
  const { country_code } = useConfig().region;
  const isBritish = useClientValue(() => country_code === 'gb', false);
  return (
    <svg aria-hidden="true" height="16" viewBox="0 0 24 16" width="24">
      {FLAGS[isBritish && language === 'en' ? 'gb' : language].map(([fill, d]) => (
        <path d={d} fill={fill} key={d} />
      ))}
    </svg>
  );
}
