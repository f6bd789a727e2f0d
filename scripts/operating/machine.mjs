// A machine to type the commands of docs/operating.md on: a folder with the paths of the manual, the program as a
// service, a mail server and an endpoint for events. Nothing outside of the folder is changed.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import { createServer as createSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { SMTPServer } = createRequire(new URL('../../e2e/package.json', import.meta.url))('smtp-server');

const FOLDERS = ['etc/account', 'var/lib/account', 'var/backups', 'mnt/vault', 'usr/local/bin', 'bin'];
const PATHS = /(?<![\w.])\/(etc\/account|var\/lib\/account|var\/backups|mnt\/vault|usr\/local\/bin)/g;
/** In UTC, the time zone of the shell. */
const TODAY = new Date().toISOString().slice(0, 10);
/** The time limit of a command, and of a mail, in milliseconds. */
export const PATIENCE = 120_000;

async function freePort() {
  const socket = createSocket();
  await new Promise((listening) => socket.listen(0, '127.0.0.1', listening));
  const { port } = socket.address();
  await new Promise((closed) => socket.close(closed));
  return port;
}

/** Programs that only a whole machine has: a service manager, another user. */
function installPrograms(root) {
  return {
    sudo: `#!/bin/bash
# This machine has one user: \`sudo -u account -s\` is a shell, \`sudo -u account COMMAND\` the command.
shift 2
if [ "$1" = -s ]; then exec bash; fi
exec "$@"
`,
    install: `#!/bin/bash
options=()
while [ $# -gt 0 ]; do
    case $1 in -o | -g) shift ;; *) options+=("$1") ;; esac
    shift
done
exec /usr/bin/install "\${options[@]}"
`,
    systemctl: `#!/bin/bash
set -eu
pid=${root}/pid
start() {
    cd ${root}/var/lib/account
    setsid account serve --config ${root}/etc/account/account.toml >>${root}/log 2>&1 </dev/null &
    echo $! >"$pid"
    for _ in $(seq 600); do
        if curl --silent --fail --output /dev/null "http://$SITE/readyz"; then return; fi
        kill -0 "$(cat "$pid")" || { tail -n 3 ${root}/log; exit 1; }
        sleep 0.1
    done
    exit 1
}
stop() {
    kill -TERM "$(cat "$pid")"
    while kill -0 "$(cat "$pid")" 2>/dev/null; do sleep 0.1; done
    rm "$pid"
}
case $1 in
start) start ;;
stop) stop ;;
restart) stop; start ;;
reload) kill -HUP "$(cat "$pid")" ;;
esac
`,
  };
}

/** A mail server that takes every mail, and the links in the mails. */
async function mailServer() {
  const mails = [];
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: (_auth, _session, done) => done(null, { user: 'user' }),
    onData(stream, session, done) {
      const parts = [];
      stream.on('data', (part) => parts.push(part));
      stream.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8').replaceAll('=\r\n', '').replaceAll('=3D', '=');
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { port: server.server.address().port, mails, close: () => server.close() };
}

async function endpoint() {
  const server = createServer((_request, response) => response.writeHead(204).end());
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { port: server.address().port, close: () => server.close() };
}

export async function machine(program, postgres) {
  const database = emptyDatabase(postgres);
  const root = mkdtempSync(join(tmpdir(), 'account-operating-'));
  for (const folder of FOLDERS) mkdirSync(join(root, folder), { recursive: true });
  symlinkSync(program, join(root, 'usr/local/bin/account'));
  for (const [name, text] of Object.entries(installPrograms(root))) {
    writeFileSync(join(root, 'bin', name), text);
    chmodSync(join(root, 'bin', name), 0o755);
  }
  const [mail, hook] = [await mailServer(), await endpoint()];
  const [site, ops] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  // Paths and names of the manual, and their replacements here.
  const pairs = [
    ['smtps://user:password@smtp.example.org', `smtp://user:password@127.0.0.1:${mail.port}`],
    ['https://hooks.example.org', `http://127.0.0.1:${hook.port}`],
    ['postgres://…/account', database],
    ['127.0.0.1:8080', site],
    ['127.0.0.1:9090', ops],
    ['2026-11-20', TODAY],
  ];
  const here = (text) =>
    pairs.reduce((all, [manual, real]) => all.replaceAll(manual, real), text.replace(PATHS, `${root}/$1`));
  const inManual = (text) =>
    [
      ...pairs,
      ['hooks.example.org', `127.0.0.1:${hook.port}`],
      ['smtps://user:***@smtp.example.org', `smtp://user:***@127.0.0.1:${mail.port}`],
    ].reduce(
      (all, [manual, real]) => all.replaceAll(real, manual),
      text.replaceAll(root, ''),
    );
  const shell = startShell(root, site);
  return {
    site,
    mail,
    here,
    inManual,
    type: (command) => shell.type(here(command)),
    configure: (text) => writeFileSync(join(root, 'etc/account/account.toml'), here(text)),
    async close() {
      shell.close();
      stopService(root);
      mail.close();
      hook.close();
      rmSync(root, { recursive: true });
    },
  };
}

/** A database of its own on the server of scripts/with-postgres.sh. */
function emptyDatabase(server) {
  const url = new URL(server);
  execFileSync('psql', ['--quiet', server, '--command', 'CREATE DATABASE account'], { stdio: 'inherit' });
  url.pathname = '/account';
  return url.href;
}

const END = '@@end of the output';

/** Ends the program if a failed step left it running. */
function stopService(root) {
  const file = join(root, 'pid');
  if (!existsSync(file)) return;
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** One shell for all commands: variables, the folder and umask stay, as in a terminal. */
function startShell(root, site) {
  const path = `${root}/bin:${root}/usr/local/bin:${process.env.PATH}`;
  const env = { PATH: path, HOME: root, SITE: site, LC_ALL: 'C.UTF-8', TZ: 'UTC' };
  // A process group of its own, so that a command that hangs can be ended with the shell.
  const shell = spawn('bash', { cwd: root, env, detached: true });
  shell.stdin.write('exec 2>&1\n');
  let output = '';
  let hasEnded = false;
  shell.on('exit', () => {
    hasEnded = true;
  });
  // A write to a shell that has ended; `type` reports it.
  shell.stdin.on('error', () => {});
  shell.stdout.setEncoding('utf8').on('data', (part) => {
    output += part;
  });
  return {
    async type(command) {
      output = '';
      shell.stdin.write(`${command}\necho "${END} $?"\n`);
      const end = new RegExp(`${END} (\\d+)\\n$`);
      const deadline = Date.now() + PATIENCE;
      while (!end.test(output)) {
        if (hasEnded) throw new Error(`${command}: the shell has ended\n${output}`);
        if (Date.now() > deadline) throw new Error(`${command}: no end after ${PATIENCE / 1000} s\n${output}`);
        await new Promise((soon) => setTimeout(soon, 20));
      }
      const [, code] = output.match(end);
      return { code: Number(code), output: output.replace(end, '') };
    },
    close: () => {
      if (!hasEnded) process.kill(-shell.pid, 'SIGKILL');
    },
  };
}

/** A call of the site, as a browser on its host makes it. */
export function callApi(site, method, path, body) {
  const [host, port] = site.split(':');
  const headers = { host: 'www.example.org', 'content-type': 'application/json' };
  return new Promise((done, failed) => {
    const sent = request({ host, port, method, path, headers }, (response) => {
      response.resume();
      response.on('end', () => done(response.statusCode));
    });
    sent.on('error', failed);
    sent.end(body && JSON.stringify(body));
  });
}
