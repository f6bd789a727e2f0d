import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { timeLimit } from '../../web/build/time-limit.ts';
import type { Program } from './program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = 'examples/sample-app/main.mjs';
const START_LIMIT_MS = timeLimit(25_000);

/** The environment variables of the sample application. */
export type Environment = Record<'ISSUER' | 'CLIENT_ID' | 'CLIENT_SECRET' | 'ORIGIN', string>;

/** The sample application, which runs as a separate process. */
export class SampleApp {
  #log = '';

  private constructor(
    readonly origin: string,
    private readonly child: ChildProcess,
  ) {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log += text;
    });
  }

  /** Starts the sample application with the command that the demo prints. */
  static async ofDemo(demo: Program): Promise<SampleApp> {
    const origin = demo.output.match(/^Fan club +(\S+)\/ /m)?.[1];
    const command = demo.output.match(/^ +node (--env-file=\S+) (\S+)$/m);
    if (!origin || !command) throw new Error(`no sample application:\n${demo.output}`);
    return SampleApp.#start(origin, command.slice(1), {});
  }

  static async start(environment: Environment): Promise<SampleApp> {
    return SampleApp.#start(environment.ORIGIN, [MAIN], environment);
  }

  static async #start(origin: string, args: string[], env: Record<string, string>) {
    const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe'];
    const app = new SampleApp(origin, spawn(process.execPath, args, { cwd: ROOT, env, stdio }));
    await app.#ready();
    return app;
  }

  get log(): string {
    return this.#log;
  }

  async stop(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await gone;
  }

  async #ready(): Promise<void> {
    const deadline = Date.now() + START_LIMIT_MS;
    while (Date.now() < deadline && this.child.exitCode === null) {
      if (await fetch(this.origin).catch(() => undefined)) return;
      await wait(20);
    }
    this.child.kill('SIGKILL');
    throw new Error(`the sample application did not start:\n${this.#log}`);
  }
}
