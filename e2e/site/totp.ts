import { createHmac } from 'node:crypto';

const STEP_MS = 30_000;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Returns the six digits that an authenticator app shows (RFC 6238: SHA-1, 30 s). Each code works once. If a test needs
 * another code within 30 seconds, `ahead` selects the code of the next time step, which the server also accepts.
 */
export function codeOf(secret: string, ahead = 0): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS) + ahead));
  const mac = createHmac('sha1', decoded(secret)).update(counter).digest();
  // The last four bits are the offset of the 31 bits that make the code (RFC 4226, section 5.3).
  const offset = (mac.at(-1) ?? 0) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000;
  return String(number).padStart(6, '0');
}

/** Decodes base32 without padding (RFC 4648). Spaces are ignored. */
function decoded(secret: string): Buffer {
  const bits = [...secret.replace(/\s/g, '')]
    .map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
