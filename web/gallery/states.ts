import type { State } from './state.ts';
import { dataStates } from './states/data.ts';
import { deleteStates, restoreStates } from './states/deletion.ts';
import { changeEmail, signOut, verifyEmail } from './states/mailed-links.ts';
import { completion, migration, unsubscribe } from './states/migration.ts';
import { requestPassword, resetPassword } from './states/password.ts';
import { secondFactorResetStates, twoStepStates } from './states/second-factor.ts';
import { activityStates, securityStates, undoStates } from './states/security.ts';
import { settings, shell } from './states/settings.ts';
import { signIn } from './states/sign-in.ts';
import { signUp } from './states/sign-up.ts';
import { supportStates } from './states/support.ts';

/** All screens with all their states. The names of screens and states appear in the gallery and in file names. */
export const STATES = {
  'sign-in': signIn,
  'sign-up': signUp,
  'request-password': requestPassword,
  'reset-password': resetPassword,
  migration,
  completion,
  'verify-email': verifyEmail,
  settings,
  security: securityStates,
  'two-step': twoStepStates,
  data: dataStates,
  delete: deleteStates,
  activity: activityStates,
  undo: undoStates,
  restore: restoreStates,
  'second-factor-reset': secondFactorResetStates,
  'sign-out': signOut,
  'change-email': changeEmail,
  unsubscribe,
  support: supportStates,
  shell,
} satisfies Record<string, Record<string, State>>;

interface Story {
  screen: string;
  name: string;
  state: State;
}

export const STORIES: readonly Story[] = Object.entries(STATES).flatMap(([screen, states]) =>
  Object.entries<State>(states).map(([name, state]) => ({ screen, name, state })),
);

/** Returns the URL of a state in the gallery. */
export function addressOf({ screen, name, state }: Story, lang: string, region: string): string {
  const query = new URLSearchParams({ path: state.path, screen, state: name, lang, region });
  return `/account/dev/gallery/screen?${query}`;
}
