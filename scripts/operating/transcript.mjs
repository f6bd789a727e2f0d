// Types the commands of docs/operating.md on an empty machine, and writes what they print into
// docs/operating-transcript.md. A command that does not end as the manual says fails the script, and so does one of the
// manual that no step types. Usage: scripts/with-postgres.sh node scripts/operating/transcript.mjs PROGRAM
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { callApi, machine, PATIENCE } from './machine.mjs';
import { more, untypedCommands, steps } from './steps.mjs';

const ROOT = new URL('../../', import.meta.url);
const manual = readFileSync(new URL('docs/operating.md', ROOT), 'utf8');
/** Lines of one output that are shown. */
const MAX_SHOWN_LINES = 12;
const MAX_LINE_LENGTH = 200;
const API = '/account/account-api';
const CONSOLE = '```console';

const INTRODUCTION = `# The commands of the operating manual

Written by \`make transcript\`: each command of [operating.md](operating.md), typed on an empty machine, with what it
printed. "…" stands for left-out lines, and for ids, times, secrets and addresses with a password. The script
(\`scripts/operating/transcript.mjs\`) gives the commands a folder of its own instead of \`/etc\` and \`/var\`, one user, a
mail server and an endpoint on this machine, and starts and stops the program where the manual says \`systemctl\`. It
fails if a command ends otherwise than the manual says, or if the manual has a command that is not typed here.
`;

/** The TOML blocks of the manual by the sentence before them. */
function settingsAfter(sentence) {
  const at = manual.indexOf(sentence);
  const [, block] = manual.slice(at).match(/```toml\n([\s\S]*?)```/) ?? [];
  if (at < 0 || !block) throw new Error(`the manual has no settings after '${sentence}'`);
  return block;
}

function untyped() {
  const lines = manual.split('\n').filter((line) => /^ {4}[a-z]/.test(line));
  const commands = lines.map((line) => line.trim().replace(/\s+#.*$/, '')).filter((line) => !line.includes(': '));
  const typed = new Set(steps.map(({ run }) => run));
  const missing = commands.filter((command) => !typed.has(command) && !(command in untypedCommands));
  const inline = [...manual.matchAll(/`(account [a-z]+(?: [a-z][a-z-]*)*)/g)].map(([, command]) => command);
  const isTyped = (command) => steps.some(({ run }) => run?.includes(command));
  return [...missing, ...new Set(inline.filter((command) => !isTyped(command) && !(command in untypedCommands)))];
}

function masked(text) {
  return text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '…')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b/g, '…')
    .replace(/\b[0-9a-f]{64}\b/g, '…')
    .replace(/\b[A-Za-z0-9_-]{43}\b/g, '…');
}

function shown(output, keep) {
  const lines = masked(output)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  const kept = keep ? lines.filter((line) => keep.test(line)) : lines.slice(0, MAX_SHOWN_LINES);
  const cut = kept.map((line) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line));
  return kept.length < lines.length ? [...cut, '…'] : cut;
}

async function register(on, { person, email }) {
  const form = {
    email,
    username: person,
    password: 'Lemon-Tree-42',
    country: 'us',
    zipcode: '90210',
    birthday_day: 5,
    birthday_month: 7,
    birthday_year: 1990,
    marketing_consent: false,
  };
  const status = await callApi(on.site, 'POST', `${API}/register`, form);
  if (status !== 201) throw new Error(`the registration of ${person}: ${status}`);
  let token;
  const deadline = Date.now() + PATIENCE;
  while (!token) {
    if (Date.now() > deadline) throw new Error(`no mail to ${email}`);
    await new Promise((soon) => setTimeout(soon, 50));
    const mail = on.mail.mails.find(({ to }) => to.includes(email));
    token = mail?.text.match(/token=([\w-]{43})/)?.[1];
  }
  const confirmed = await callApi(on.site, 'GET', `${API}/confirm-email?token=${token}`);
  if (confirmed !== 200) throw new Error(`the link of ${person}: ${confirmed}`);
  return `${person} registers with ${email} and opens the link in the mail.`;
}

let settings = '';

function configure(on, step) {
  if (step.more) {
    const [section, ...lines] = settings.split('\n');
    settings = [section, ...more.server, ...lines, more.rest].join('\n');
    on.configure(settings);
    const added = ['[server]', ...more.server, ...more.rest.split('\n')];
    return ['For the other sections of the manual:', '', '```toml', ...added.filter(Boolean), '```', ''];
  }
  settings += settingsAfter(step.settings);
  on.configure(settings);
  return [`\`/etc/account/account.toml\` gets the settings that the manual shows after "${step.settings}".`, ''];
}

async function runStep(on, step) {
  if (step.title) return ['', `## ${step.title}`, ''];
  if (step.person) return [await register(on, step), ''];
  if (step.settings || step.more) return configure(on, step);
  const { code, output } = await on.type(step.run);
  if (code !== (step.exit ?? 0)) throw new Error(`${step.run}: exit ${code}\n${output}`);
  const exit = code === 0 ? [] : [`(exit ${code})`];
  const printed = [...shown(on.inManual(output), step.keep), ...exit];
  return [CONSOLE, `$ ${step.run}`, ...printed, '```', ''];
}

const missing = untyped();
if (missing.length > 0) throw new Error(`no step types: ${missing.join(' | ')}`);
const on = await machine(resolve(process.argv[2]), process.env.ACCOUNT_TEST_POSTGRES_URL);
const lines = [INTRODUCTION];
try {
  for (const [at, step] of steps.entries()) {
    const more = await runStep(on, step);
    // Commands that follow each other share a block.
    const joins = step.run && steps[at - 1]?.run;
    lines.splice(joins ? -2 : lines.length, 2, ...(joins ? more.slice(1) : more));
  }
} finally {
  await on.close();
}
const text = lines
  .join('\n')
  .replaceAll(/\n{3,}/g, '\n\n')
  .trimEnd();
writeFileSync(new URL('docs/operating-transcript.md', ROOT), `${text}\n`);
