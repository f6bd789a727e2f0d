// The stems of the most common passwords, which suffice for advice. The server has the complete list. The server
// rejects common passwords if `security.common_passwords` is `refuse`.
const COMMON_WORDS = new Set(
  `1q2w3e4r 1qaz2wsx aa aaa abc abcd abcde abcdef abcdefg admin amor angel asd asdf asdfgh baby banana
  bonjour bruder buster butterfly cambiame cariño changeme cheese chocolate clave computer contrasena
  contraseña cookie default dragon estrella familia felicidade flower football freedom fussball futebol
  futbol geheim ginger gott guest hallo heaven hello herbst hola hunter iloveyou invierno invite killer
  letmein liebe login love lovely lucky master mein merlin money monkey mother ninja orange pass passw
  password passwort pepper princesa princess purple q1w2e3r4 qazwsx qwe qwer qwert qwerty qwertyuiop
  qwertz rainbow schatz schule secret secreto senha shadow silver soccer sommer spring star summer
  sunshine teamo tequiero test verano verão welcome whatever willkommen winter xxx yellow zaq zxc
  zxcvbn zxcvbnm`.split(/\s+/),
);

/** The shortest name that counts as personal, as on the server. Shorter names occur in good passwords by chance. */
const MIN_NAME_LENGTH = 4;

type Strength = 'weak' | 'fair' | 'good' | 'strong';
type Advice = 'common' | 'personal' | 'longer';

interface Estimate {
  strength: Strength;
  advice: Advice | null;
  /** For the advice `personal`: the name that the password contains. */
  word?: string;
}

/** Estimates the strength of a new password. The estimate is advice; the password rules and the server decide. */
export function estimateStrength(password: string, personal: readonly string[]): Estimate {
  if (isCommon(password)) return { strength: 'weak', advice: 'common' };
  const word = findPersonal(password, personal);
  if (word) return { strength: 'weak', advice: 'personal', word };
  const length = effectiveLength(password);
  if (length < 8) return { strength: 'weak', advice: 'longer' };
  if (length < 11) return { strength: 'fair', advice: 'longer' };
  // A password of 15 characters of any kind is strong (NIST SP 800-63B-4, section 3.1.1.2).
  return { strength: length < 15 ? 'good' : 'strong', advice: null };
}

/** Returns whether a password is common, ignoring trailing symbols and digits, and substituted letters. */
function isCommon(password: string): boolean {
  const bareText = password.toLowerCase().replace(/[^\p{L}\p{N}]+$/u, '');
  const word = bareText.replace(/[0-9]+$/, '');
  return word === '' || [bareText, word].some((text) => COMMON_WORDS.has(text) || isMasked(text));
}

function isMasked(text: string): boolean {
  return COMMON_WORDS.has(unmask(text, 'i')) || COMMON_WORDS.has(unmask(text, 'l'));
}

/** Returns the first of the names, or a part of one, that the password contains (OWASP ASVS 6.2.11). */
function findPersonal(password: string, names: readonly string[]): string | undefined {
  const text = withoutSubstitutes(password);
  return names
    .flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)])
    .flatMap((part) => [part, part.replace(/[0-9]+$/, '')])
    .filter((part) => [...part].length >= MIN_NAME_LENGTH)
    .find((part) => text.includes(withoutSubstitutes(part)));
}

/** Reverts common substitutions of letters, for example `0` for `o`. The characters 1 and ! become `one`. */
function unmask(text: string, one: 'i' | 'l'): string {
  const letterOfSubstitute: Record<string, string> = {
    0: 'o',
    3: 'e',
    4: 'a',
    5: 's',
    7: 't',
    '@': 'a',
    $: 's',
  };
  return text.replace(/[0-9@$!]/g, (sign) =>
    /[1!]/.test(sign) ? one : (letterOfSubstitute[sign] ?? sign),
  );
}

function withoutSubstitutes(text: string): string {
  return unmask(text.toLowerCase(), 'l').replaceAll('i', 'l');
}

/**
 * Returns the number of characters that do not continue a sequence (`aaa`, `abc`, `321`), but at most twice the number
 * of distinct characters.
 */
function effectiveLength(password: string): number {
  const characters = [...password.normalize('NFC').toLowerCase()];
  const codes = characters.map((character) => character.codePointAt(0) ?? 0);
  const step = (index: number) => (codes[index] ?? 0) - (codes[index - 1] ?? 0);
  const goesOn = (index: number) =>
    index > 1 && Math.abs(step(index)) <= 1 && step(index) === step(index - 1);
  const leaps = codes.filter((_, index) => !goesOn(index));
  return Math.min(leaps.length, 2 * new Set(codes).size);
}
