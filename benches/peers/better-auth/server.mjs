// The smallest honest site of better-auth: its own handler on node:http and its SQLite adapter, as
// its documentation sets them up. Usage: server.mjs PORT; the database is in the working directory.
import { createServer } from 'node:http';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import Database from 'better-sqlite3';

const port = Number(process.argv[2]);
const database = new Database('site.db');
database.pragma('journal_mode = WAL');

const options = {
  // It signs cookies of a site that lives for a minute.
  secret: 'a secret of a site that only answers its own measurement',
  baseURL: `http://127.0.0.1:${port}`,
  database,
  emailAndPassword: { enabled: true },
  // On in production; every request here comes from one address. Off at the program too.
  rateLimit: { enabled: false },
};
const { runMigrations } = await getMigrations(options);
await runMigrations();

createServer(toNodeHandler(betterAuth(options))).listen(port, '127.0.0.1');
