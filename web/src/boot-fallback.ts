import { ApiFailure } from './api/client';
import { fetchConfig } from './api/config';
import type { BootBlock } from './boot';
import { type Catalogue, type Language, matchLanguage, savedLanguage } from './languages';

/** Fetches the boot data, because a page that `npm run dev` serves has an empty boot block. */
export async function fetchBootBlock(): Promise<BootBlock> {
  const config = await fetchConfig();
  const wanted = [
    new URLSearchParams(location.search).get('lang'),
    savedLanguage(),
    ...navigator.languages,
    config.default_language,
  ];
  const matches = wanted.map((tag) => matchLanguage(tag ?? ''));
  const language = matches.find((match) => match !== null) ?? 'en';
  return { language, config, translations: await fetchCatalogue(language) };
}

async function fetchCatalogue(language: Language): Promise<Catalogue> {
  const answer = await fetch(`/account/account-api/translations/${language}`);
  if (!answer.ok) throw new ApiFailure(answer.status, null);
  return (await answer.json()) as Catalogue;
}
