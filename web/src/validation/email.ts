import { INVISIBLE_CHARACTERS, trimText } from './visible-text';

const MAX_BYTES = 254;
const MAX_LOCAL_BYTES = 64;
const MAX_DOMAIN_LENGTH = 253;

// The characters of an atom (RFC 5322, section 3.2.3), and letters and combining marks of all scripts (RFC 6531).
const ATOM = String.raw`(?!\p{M})[\w!#$%&'*+/=?^\x60{|}~\p{L}\p{M}\p{N}\-]+`;
const LOCAL_PART = new RegExp(String.raw`^${ATOM}(?:\.${ATOM})*$`, 'u');
// A domain has at least two labels of letters, digits and hyphens (RFC 5890, section 2.3.1). The last label is not a
// number.
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(String.raw`^(?:${LABEL}\.)+(?![0-9]+$)${LABEL}$`);
// In Unicode, the labels are letters, marks, digits and hyphens too, with the exceptions of RFC 5892, section 2.6.
const UNICODE_DOMAIN =
  /^[\p{L}\p{M}\p{Nd}\-.\u3002\xb7\u0375\u05f3\u05f4\u06fd\u06fe\u0f0b\u3007\u30fb\u200c\u200d]+$/u;
// Joiners belong to words of some languages, in which the URL parser permits them.
const JOINERS = /[\u200c\u200d]/g;
// The characters that the URL parser removes, decodes or takes for the end of the host.
const NO_HOST_CHARACTERS = /[\s%/\\?#:@[\]]/;
// Special-use domains without public mailboxes (RFC 6761, RFC 6762), and the default domain of Linux systems.
const LOCAL_DOMAINS =
  /(?:^|\.)(?:invalid|local|localhost|localdomain6?|internal|onion|home\.arpa)$/;

/** Returns the ASCII form of a domain (RFC 5890), or an empty string if it has none. */
function asciiDomain(domain: string): string {
  try {
    return NO_HOST_CHARACTERS.test(domain) ? '' : new URL(`https://${domain}`).hostname;
  } catch {
    return '';
  }
}

const bytes = (text: string): number => new TextEncoder().encode(text).length;

function isAddress(email: string): boolean {
  const at = email.indexOf('@');
  const [local, typed] = [email.slice(0, at), email.slice(at + 1)];
  const domain = asciiDomain(typed);
  return (
    at > 0 &&
    email.replace(JOINERS, '').search(INVISIBLE_CHARACTERS) < 0 &&
    UNICODE_DOMAIN.test(typed.normalize('NFKC')) &&
    LOCAL_PART.test(local) &&
    bytes(local) <= MAX_LOCAL_BYTES &&
    DOMAIN.test(domain) &&
    domain.length <= MAX_DOMAIN_LENGTH &&
    !LOCAL_DOMAINS.test(domain) &&
    bytes(local) + 1 + domain.length <= MAX_BYTES
  );
}

export type EmailError = 'email_missing' | 'email_invalid';

/** Checks the syntax of an email address. The server repeats this check. */
export function checkEmail(input: string): EmailError | null {
  const email = trimText(input).normalize('NFC');
  if (email === '') return 'email_missing';
  return isAddress(email) ? null : 'email_invalid';
}

/** Checks the email address in the registration form, which has one message for a missing and an invalid address. */
export function checkRegistrationEmail(input: string): 'email_invalid' | null {
  return checkEmail(input) && 'email_invalid';
}

/** Checks the email address in the form for a password reset, which has the general message for an empty field. */
export function checkResetEmail(input: string): 'missing_field' | 'email_invalid' | null {
  const error = checkEmail(input);
  return error === 'email_missing' ? 'missing_field' : error;
}

/** Checks the email address in the migration form, which has its own message for a missing or invalid address. */
export function checkMigrationEmail(input: string): 'email_invalid_migration' | null {
  return checkEmail(input) && 'email_invalid_migration';
}
