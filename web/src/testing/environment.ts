import { builtinEnvironments, type Environment } from 'vitest/runtime';

const { jsdom } = builtinEnvironments;

/** The test environment: jsdom with the classes of Node that msw needs and jsdom lacks. */
export default {
  ...jsdom,
  async setupVM(options) {
    const environment = await jsdom.setupVM?.(options);
    if (!environment) throw new Error('jsdom cannot run in a VM context');
    Object.assign(environment.getVmContext(), {
      BroadcastChannel,
      TransformStream,
      WritableStream,
    });
    return environment;
  },
} satisfies Environment;
