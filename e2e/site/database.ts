import { randomBytes } from 'node:crypto';
import pg from 'pg';

export type DatabaseKind = 'sqlite' | 'postgres';

/** Creates an empty database for one site. */
export interface Database {
  url: string;
  drop(): Promise<void>;
}

export async function freshDatabase(kind: DatabaseKind): Promise<Database> {
  // A file in the site's own folder, deleted with the folder.
  if (kind === 'sqlite') return { url: 'sqlite://data/account.db', drop: async () => {} };

  const server = process.env.ACCOUNT_TEST_POSTGRES_URL;
  if (!server)
    throw new Error('ACCOUNT_TEST_POSTGRES_URL is not set: run scripts/with-postgres.sh');
  const name = `browser_${randomBytes(6).toString('hex')}`;
  await run(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function run(server: string, statement: string): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
