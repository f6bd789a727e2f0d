import { ApiFailure, post } from './client';
import type { components } from './schema';

type ResetAccepted = components['schemas']['ResetAccepted'];

/** The result of a reset request. A mail was sent if the account exists, or the account must migrate before. */
export type ResetOutcome = ResetAccepted['code'];

/** Requests a reset link by mail. Only the existence of a legacy account is disclosed. */
export async function requestPasswordReset(email: string): Promise<ResetOutcome> {
  return outcomeOf(checkAnswer(await post('/reset-password', { email })));
}

/**
 * Sets the new password and ends all sessions, but does not sign in. If the user asks to sign other devices out,
 * returns the names of the passkeys, which a reset keeps.
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
