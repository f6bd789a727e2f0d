import type { ReactNode } from 'react';
import type { Language } from '../languages';

// The flags are simplified, so that they are recognisable at 24 pixels.
const FLAGS: Readonly<Record<Language, ReactNode>> = {
  en: (
    <>
      <path d="M0 0h24v16H0z" fill="#f6f5f0" />
      <path
        d="M0 1.2h24M0 3.7h24M0 6.2h24M0 8.6h24M0 11.1h24M0 13.5h24M0 16h24"
        stroke="#b32134"
        strokeWidth="1.2"
      />
      <path d="M0 0h11v8.6H0z" fill="#32427a" />
      <path d="M1.5 1.8h8.5M1.5 4.3h8.5M1.5 6.8h8.5" stroke="#f6f5f0" strokeDasharray="1 1.5" />
    </>
  ),
  de: (
    <>
      <path d="M0 0h24v5.4H0z" fill="#000" />
      <path d="M0 5.3h24v5.4H0z" fill="#d00" />
      <path d="M0 10.7h24V16H0z" fill="#ffce00" />
    </>
  ),
  // The texts are written in the Spanish of Latin America, so the flag is that of Mexico.
  es: (
    <>
      <path d="M0 0h24v16H0z" fill="#f6f5f0" />
      <path d="M0 0h8v16H0z" fill="#006847" />
      <path d="M16 0h8v16h-8z" fill="#ce1126" />
      <circle cx="12" cy="8" fill="#8a5a2b" r="2" />
    </>
  ),
  pt: (
    <>
      <path d="M0 0h24v16H0z" fill="#009739" />
      <path d="M12 1.8 22 8l-10 6.2L2 8z" fill="#fedd00" />
      <circle cx="12" cy="8" fill="#012169" r="3.4" />
    </>
  ),
};

/** A decorative flag next to the name of a language. */
export function Flag({ language }: { language: Language }) {
  return (
    <svg aria-hidden="true" height="16" viewBox="0 0 24 16" width="24">
      {FLAGS[language]}
    </svg>
  );
}
