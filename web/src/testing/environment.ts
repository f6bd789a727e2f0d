import { builtinEnvironments, type Environment } from 'vitest/runtime';

const { jsdom } = builtinEnvironments;

/** The test environment: jsdom, with the Node classes that msw needs and jsdom lacks. */
export default {
  ...jsdom,
  async setupVM(options) {
    const environment = await jsdom.setupVM?.(options);
    if (!environment) throw new Error('jsdom cannot run in a VM context');
    // Each test file has its own channel names, because the channels of Node connect the threads of all test files.
    const id = crypto.randomUUID();
    class FileChannel extends BroadcastChannel {
      constructor(name: string) {
        super(`${id} ${name}`);
      }
    }
    Object.assign(environment.getVmContext(), {
      BroadcastChannel: FileChannel,
      TransformStream,
      WritableStream,
    });
    return environment;
  },
} satisfies Environment;
