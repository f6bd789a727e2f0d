import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Person } from './accounts.ts';
import type { Site } from './site.ts';

/** One line of an export of the old site. Unknown fields are omitted. */
export interface LegacyAccount {
  email: string;
  password_hash?: string;
  username?: string;
  first_name?: string;
  country?: string;
  birthday_day?: number;
  birthday_month?: number;
  birthday_year?: number;
  zipcode?: string;
  language?: string;
}

/** A legacy account with complete data. */
export function completeAccount({ email, username, password }: Person): LegacyAccount {
  return {
    email,
    username,
    password_hash: legacyHash(password),
    country: 'us',
    birthday_day: 7,
    birthday_month: 4,
    birthday_year: 1989,
    zipcode: '97201',
  };
}

/** Imports the accounts while the site runs, with the operator's command. */
export async function importLegacyAccounts(
  site: Site,
  ...accounts: LegacyAccount[]
): Promise<void> {
  const file = join(site.program.folder, `export-${randomBytes(6).toString('hex')}.jsonl`);
  await writeFile(file, accounts.map((account) => `${JSON.stringify(account)}\n`).join(''));
  const counts: unknown = JSON.parse(
    await site.program.command('legacy', 'import', file, '--json'),
  );
  const taken = (counts as Record<string, number>).new;
  if (taken !== accounts.length) throw new Error(`the import took ${JSON.stringify(counts)}`);
}

/** Hashes in Django's format, with few iterations to keep tests fast. */
function legacyHash(password: string): string {
  const salt = randomBytes(8).toString('hex');
  const hash = pbkdf2Sync(password, salt, 1000, 32, 'sha256').toString('base64');
  return `pbkdf2_sha256$1000$${salt}$${hash}`;
}
