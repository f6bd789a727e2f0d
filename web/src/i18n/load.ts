import { REQUEST_TIMEOUT_MS } from '../api/client';
import { type Catalogue, type Language, saveLanguage } from '../languages';
import { addTexts, cachedCountries, hasTexts, setLanguage } from './texts';

const TRANSLATIONS_URL = '/account/account-api/translations/';
const MAX_RETRIES = 5;
/** The wait before the first retry. The wait doubles with each further retry. */
const FIRST_WAIT_MS = 350;
const PARALLEL_READS = 10;

let latestChoice: Language | null = null;
let reads = 0;
const waiting: (() => void)[] = [];

/** Sets the language and the texts that the page embeds. Texts of other languages are loaded on demand. */
export function startTranslations(language: Language, texts: Catalogue): void {
  addTexts(language, texts);
  setLanguage(language);
}

/** Changes the language without a page load, and saves the choice in a cookie. Throws if the texts cannot be loaded. */
export async function chooseLanguage(language: Language): Promise<void> {
  latestChoice = language;
  try {
    if (!hasTexts(language)) await load(language);
  } catch (failure) {
    if (latestChoice === language) throw failure;
  }
  // If the user has chosen another language meanwhile, the earlier choice has no effect, even if its loading failed.
  if (latestChoice !== language) return;
  setLanguage(language);
  saveLanguage(language);
}

/** Loads all texts of the language, because the country names are only in the complete catalogue. */
export async function loadCountries(language: string): Promise<void> {
  await load(language);
  if (!cachedCountries(language)) throw loadFailure(language);
}

async function load(language: string): Promise<void> {
  for (let wait = FIRST_WAIT_MS, retries = 0; ; wait *= 2, retries += 1) {
    const catalogue = await withReadSlot(() => fetchOnce(language));
    if (!(catalogue instanceof Error)) return addTexts(language, catalogue);
    if (retries === MAX_RETRIES) throw loadFailure(language, catalogue);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/**
 * Fetches the texts. Returns an error that a retry may solve (no response, status 5xx), and throws every other error.
 */
async function fetchOnce(language: string): Promise<Catalogue | Error> {
  let status: number;
  try {
    const response = await fetch(TRANSLATIONS_URL + language, {
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    // `await` is needed here, so that the `catch` also handles a connection that breaks during the body.
    if (response.ok) return await response.json();
    status = response.status;
  } catch (failure) {
    return failure instanceof Error ? failure : new Error(String(failure));
  }
  const failure = new Error(`received status ${status}`);
  if (status < 500) throw loadFailure(language, failure);
  return failure;
}

function loadFailure(language: string, cause?: Error): Error {
  return new Error(`the texts in "${language}" could not be loaded`, { cause });
}

/** Runs `read`, but at most `PARALLEL_READS` reads at a time. Further reads wait. */
export async function withReadSlot<T>(read: () => Promise<T>): Promise<T> {
  if (reads >= PARALLEL_READS) await new Promise<void>((resolve) => waiting.push(resolve));
  else reads += 1;
  try {
    return await read();
  } finally {
    // The slot passes to the read that has waited longest.
    const nextRead = waiting.shift();
    if (nextRead) nextRead();
    else reads -= 1;
  }
}
