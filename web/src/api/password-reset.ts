import { ApiFailure, post } from './client';
import type { components } from './schema';

type ResetAccepted = components['schemas']['ResetAccepted'];

/** The result of a reset request: `reset_sent` also for an unknown email address, or `needs_migration`. */
export type ResetOutcome = ResetAccepted['code'];

/** Requests a reset link by mail. The response reveals only whether the email address has a legacy account. */
export async function requestPasswordReset(email: string): Promise<ResetOutcome> {
  return outcomeOf(checkAnswer(await post('/reset-password', { email })));
}

/**
 * Sets the new password and ends all sessions, but does not sign in. If `revokesOthers` is set, returns the names of
 * the passkeys, because a reset does not remove passkeys.
 */
export async function confirmPasswordReset(
  token: string,
  password: string,
  confirmation: string,
  revokesOthers: boolean,
): Promise<readonly string[]> {
  const { passkeys } = checkAnswer(
    await post('/reset-password/confirm', {
      token,
      new_password: password,
      confirm_password: confirmation,
      ...(revokesOthers ? { revoke_others: true } : {}),
    }),
  );
  return passkeys ?? [];
}

/** Throws if the response body reports a failure despite a success status. */
function checkAnswer<Answer extends { success: boolean; message: string }>(answer: Answer): Answer {
  if (answer.success) return answer;
  throw new ApiFailure(200, { code: 'internal', detail: answer.message });
}

/** Reads the outcome from the code of a response, or from the word "migration" in its message if there is no code. */
function outcomeOf({ code, message }: { code?: ResetOutcome; message: string }): ResetOutcome {
  return code ?? (/migration/i.test(message) ? 'needs_migration' : 'reset_sent');
}
