// A minimal site of better-auth with its documented set-up: its handler on node:http and its SQLite adapter. Usage:
// server.mjs PORT; the database is in the working directory.
import { createServer } from 'node:http';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import Database from 'better-sqlite3';

const port = Number(process.argv[2]);
const database = new Database('site.db');
database.pragma('journal_mode = WAL');

const options = {
  // A fixed secret, because the site is deleted after the measurement.
  secret: 'a secret of a site that only answers its own measurement',
  baseURL: `http://127.0.0.1:${port}`,
  database,
  emailAndPassword: { enabled: true },
  // Enabled in production. Disabled here, as in our program, because all requests come from one address.
  rateLimit: { enabled: false },
};
const { runMigrations } = await getMigrations(options);
await runMigrations();

createServer(toNodeHandler(betterAuth(options))).listen(port, '127.0.0.1');
