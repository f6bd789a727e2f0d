import de from '../locales/de.json' with { type: 'json' };
import en from '../locales/en.json' with { type: 'json' };
import es from '../locales/es.json' with { type: 'json' };
import pt from '../locales/pt.json' with { type: 'json' };

export type Words = typeof en;

/** The texts of the screens by language. Tests find elements by their visible names. */
export const words = { en, de, es, pt } satisfies Record<string, Words>;

export type Language = keyof typeof words;

/** Fills in the placeholders of a text, as the page does. */
export function fill(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value for {{${name}}} in "${sentence}"`);
    return String(value);
  });
}
