// Runs Lighthouse with its mobile settings on the screens of the release binary's demo, and writes the medians of
// five runs as a table to standard output and to docs/loading.md. `make lighthouse`; not a part of `make test`, because
// a busy machine changes the figures.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';

const RUNS = 5;
const TRIES = 4;
const ROOT = new URL('../../', import.meta.url).pathname;
const PAGE = join(ROOT, 'docs/loading.md');
const CATEGORIES = ['performance', 'accessibility', 'best-practices'];
// A token with the form of those in mailed links; it was never mailed.
const TOKEN = 'A'.repeat(43);
const SCREENS = [
  ['Sign in', '/account/'],
  ['Create account', '/account/signup'],
  ['Reset your password', '/account/request-password'],
  ['Choose a new password', `/account/reset-password?token=${TOKEN}`],
  ['Choose a new password, without a token', '/account/reset-password'],
  ['Migrate your account', '/account/migration'],
  ['Migrate your account, confirm', `/account/migration?email=fan@example.org&token=${TOKEN}`],
  ['Complete your migration', `/account/migration-confirmation?migration_token=${TOKEN}`],
  ['Verify your email, without a token', '/account/verify-email'],
  ['Change your email, without a token', '/account/change-email'],
  ['Undo a change of the email', `/account/change-email?undo=${TOKEN}`],
  ['Undo a change of the ways in', `/account/undo?token=${TOKEN}`],
  ['Turn off two-step verification', `/account/second-factor-reset?token=${TOKEN}`],
  ['Keep your account', `/account/restore?token=${TOKEN}`],
  ['Sign out', '/account/sign-out'],
  ['Unsubscribe', `/account/unsubscribe?token=${TOKEN}`],
];
const SIGNED_IN_SCREENS = [
  ['Settings', '/account/settings'],
  ['Security', '/account/settings/security'],
];

const folder = await mkdtemp(join(tmpdir(), 'account-lighthouse-'));
const site = await serve(folder);
try {
  const rows = [];
  for (const [name, path] of SCREENS) rows.push([name, ...(await medians(site.url + path, {}))]);
  const headers = { Cookie: await signIn(site.url) };
  for (const [name, path] of SIGNED_IN_SCREENS) {
    rows.push([name, ...(await medians(site.url + path, headers))]);
  }
  await report(rows);
} finally {
  site.child.kill();
  await rm(folder, { recursive: true, force: true });
}

async function serve(cwd) {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const env = { ACCOUNT_SERVER__LISTEN: `127.0.0.1:${port}`, ACCOUNT_SERVER__PUBLIC_URL: url };
  const program = join(ROOT, 'target/release/account');
  const child = spawn(program, ['demo', '--data', cwd], { cwd, env, stdio: 'ignore' });
  for (;;) {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.ok) return { child, url };
    if (child.exitCode !== null) throw new Error('the server ended; `make build`?');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Signs in with an account of the demo. Returns the cookies. */
async function signIn(url) {
  const answer = await fetch(`${url}/account/account-api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'verified@demo.example', password: 'Moonrise-7' }),
  });
  if (!answer.ok) throw new Error(`the sign-in answered ${answer.status}: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Scores up to 100, first and largest paint in seconds, layout shift, and the audits that cost points. */
async function medians(url, extraHeaders) {
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) {
    runs.push(await measured(url, extraHeaders));
  }
  const of = (figure) => median(runs.map(figure));
  const audit = (id) => of((lhr) => lhr.audits[id].numericValue);
  return [
    ...CATEGORIES.map((id) => String(of((lhr) => Math.round(lhr.categories[id].score * 100)))),
    `${(audit('first-contentful-paint') / 1000).toFixed(2)} s`,
    `${(audit('largest-contentful-paint') / 1000).toFixed(2)} s`,
    audit('cumulative-layout-shift').toFixed(3),
    [...new Set(runs.flatMap(losses))].join(', '),
  ];
}

/** One run in a new browser, as at a first visit. */
async function measured(url, extraHeaders, triesLeft = TRIES) {
  const chrome = await launch({
    chromePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    chromeFlags: ['--headless=new', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  const flags = { port: chrome.port, onlyCategories: CATEGORIES, extraHeaders, logLevel: 'error' };
  const { lhr } = await lighthouse(url, flags).finally(() => chrome.kill());
  // Occasionally the browser's trace begins too late to be evaluated; such a run has no result.
  const isUnread = lhr.runtimeError?.code === 'NO_NAVSTART';
  if (isUnread && triesLeft > 1) return measured(url, extraHeaders, triesLeft - 1);
  if (lhr.runtimeError) throw new Error(`${url}: ${lhr.runtimeError.message}`);
  return lhr;
}

function losses(lhr) {
  return ['accessibility', 'best-practices']
    .flatMap((id) => lhr.categories[id].auditRefs)
    .filter(({ id, weight }) => weight > 0 && (lhr.audits[id].score ?? 1) < 1)
    .map(({ id }) => id);
}

function median(figures) {
  return figures.sort((one, other) => one - other)[Math.floor(figures.length / 2)];
}

async function report(rows) {
  const heads = ['screen', 'performance', 'accessibility', 'best practices'];
  const columns = [...heads, 'first paint', 'largest paint', 'layout shift', 'lost points'];
  const lines = [columns, ['---', ...columns.slice(1, -1).map(() => '---:'), '---'], ...rows];
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const made = `${new Date().toISOString().slice(0, 10)}, ${cpus()[0].model}, ${cpus().length} cores.`;
  console.log(`${made}\n\n${table}`);
  const page = await readFile(PAGE, 'utf8');
  const [before, rest] = page.split('<!-- lighthouse -->');
  const [, after] = rest.split('<!-- end of lighthouse -->');
  const filled = `<!-- lighthouse -->\n${made}\n\n${table}\n<!-- end of lighthouse -->`;
  await writeFile(PAGE, `${before}${filled}${after}`);
}
