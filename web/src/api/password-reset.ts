import { ApiFailure, post } from './client';
import type { components } from './schema';

type ResetAsked = components['schemas']['ResetAsked'];

/** What asking for a reset came to: a mail (if there is an account), or an account to move first. */
export type ResetOutcome = ResetAsked['code'];

/** Asks for a reset link by mail. Whether there is an account is told only of the old site's. */
export async function requestReset(email: string): Promise<ResetOutcome> {
  return outcomeOf(accepted(await post('/reset-password', { email })));
}

/** Puts the new password in place. It ends every session, and does not sign in. */
export async function confirmReset(
  token: string,
  password: string,
  confirmation: string,
): Promise<void> {
  accepted(
    await post('/reset-password/confirm', {
      token,
      new_password: password,
      confirm_password: confirmation,
    }),
  );
}

/** Specification section 8: an answer may be a success by status and none by its body. */
function accepted<Answer extends { success: boolean; message: string }>(answer: Answer): Answer {
  if (answer.success) return answer;
  throw new ApiFailure(200, { code: 'unsuccessful', detail: answer.message });
}

/** By the code; the word counts where an older server sends none (specification section 4). */
function outcomeOf({ code, message }: { code?: ResetOutcome; message: string }): ResetOutcome {
  return code ?? (/migration/i.test(message) ? 'needs_migration' : 'reset_sent');
}
