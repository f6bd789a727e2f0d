import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { timeLimit } from '../../web/build/time-limit.ts';

const execute = promisify(execFile);

const BINARY =
  process.env.ACCOUNT_TEST_PROGRAM ??
  fileURLToPath(new URL('../../target/debug/account', import.meta.url));
const START_LIMIT_MS = timeLimit(25_000);
const STOP_LIMIT_MS = timeLimit(15_000);

/** Environment variables of the program, for example `ACCOUNT_LIFETIMES__VERIFY`. */
export type Settings = Record<string, string>;

/** A running program, which serves from an empty folder on its own port. */
export class Program {
  #output = '';

  private constructor(
    readonly origin: string,
    readonly folder: string,
    private readonly env: Settings,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  /**
   * Starts the program. `demo` serves sample brands with demo data. `regions` is TOML, because regions cannot be set by
   * environment variables.
   */
  static async start(
    settings: Settings,
    command: 'serve' | 'demo' = 'serve',
    regions = '',
  ): Promise<Program> {
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const folder = await mkdtemp(join(tmpdir(), 'account-site-'));
    const env = {
      ACCOUNT_SERVER__LISTEN: `127.0.0.1:${port}`,
      ACCOUNT_SERVER__PUBLIC_URL: origin,
      // No load balancer needs time to notice the end of a test.
      ACCOUNT_SERVER__DRAIN_DELAY: '0s',
      ACCOUNT_TEST_SLOW: String(timeLimit(1)),
      ...settings,
    };
    await writeFile(join(folder, 'account.toml'), regions);
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
    const child = spawn(BINARY, [command, '--config', 'account.toml'], { cwd: folder, env, stdio });
    const program = new Program(origin, folder, env, child);
    await program.#ready();
    return program;
  }

  /** Returns the log output until now. */
  get output(): string {
    return this.#output;
  }

  /** Runs another command with the same settings and database, and returns its output. */
  async command(...args: string[]): Promise<string> {
    const { stdout } = await execute(BINARY, args, { cwd: this.folder, env: this.env });
    return stdout;
  }

  /** Stops the program with SIGTERM, and expects exit code 0. */
  async stop(): Promise<void> {
    const gone = once(this.child, 'exit');
    if (this.child.exitCode === null) this.child.kill('SIGTERM');
    else throw new Error(`the program exited before the test ended:\n${this.#output}`);
    const late = wait(STOP_LIMIT_MS, undefined, { ref: false });
    const outcome = await Promise.race([gone, late]);
    if (outcome === undefined) this.child.kill('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
    if (outcome === undefined || outcome[0] !== 0) {
      const how = outcome === undefined ? 'did not stop in time' : `ended with ${outcome[0]}`;
      throw new Error(`the program ${how}:\n${this.#output}`);
    }
  }

  async #ready(): Promise<void> {
    const deadline = Date.now() + START_LIMIT_MS;
    while (Date.now() < deadline && this.child.exitCode === null) {
      const answer = await fetch(`${this.origin}/readyz`).catch(() => undefined);
      if (answer?.ok) return;
      await wait(20);
    }
    this.child.kill('SIGKILL');
    throw new Error(`the program did not start:\n${this.#output}`);
  }
}

/** Finds a free port before the program starts, because the public URL contains the port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
