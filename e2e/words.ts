import de from '../locales/de.json' with { type: 'json' };
import en from '../locales/en.json' with { type: 'json' };
import es from '../locales/es.json' with { type: 'json' };
import pt from '../locales/pt.json' with { type: 'json' };

export type Words = typeof en;

/** What the screens say, by language: the tests find things by the names that people read. */
export const words = { en, de, es, pt } satisfies Record<string, Words>;

export type Language = keyof typeof words;

/** A sentence with its placeholders filled, as a page shows it. */
export function fill(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value for {{${name}}} in "${sentence}"`);
    return String(value);
  });
}
