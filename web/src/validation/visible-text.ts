// The invisible characters, as in the server's `domain/visible_text.rs`.
const WITHOUT_SHAPE = String.raw`\p{Bidi_Control}\p{Default_Ignorable_Code_Point}`;

/** Control characters, bidirectional formatting characters, and invisible characters. */
export const INVISIBLE_CHARACTERS = new RegExp(String.raw`[\p{Cc}${WITHOUT_SHAPE}]`, 'gu');

/** Characters that would break or reorder a line of text. */
const DISRUPTIVE_CHARACTER = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/u;

const TRIMMED_ENDS = new RegExp(
  String.raw`^[\p{White_Space}${WITHOUT_SHAPE}]+|[\p{White_Space}${WITHOUT_SHAPE}]+$`,
  'gu',
);

/** Trims white space and invisible characters, which a pasted text may have at its ends. */
export const trimText = (text: string): string => text.replace(TRIMMED_ENDS, '');

/**
 * Converts a typed code to NFKC with one kind of hyphen and one kind of space, because keyboards and programs insert
 * full-width characters, dashes and blanks of other kinds.
 */
export const unifySeparators = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\p{Dash_Punctuation}\u2212]/gu, '-')
    .replace(/\p{Space_Separator}/gu, ' ');

/** Whether a text is a name of at most `max` visible characters. */
export function isName(text: string, max: number): boolean {
  const name = text.trim();
  const visible = name.replace(INVISIBLE_CHARACTERS, '');
  return visible.trim() !== '' && [...visible].length <= max && !DISRUPTIVE_CHARACTER.test(name);
}
