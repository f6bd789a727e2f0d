/** The factor by which this machine is slower than an idle machine. `scripts/slowness.sh` finds the factor. */
const SLOWNESS = Number(process.env.ACCOUNT_TEST_SLOW ?? 1);

/** Returns a time limit of a test, given the limit on a machine that has nothing else to do. */
export function timeLimit(onIdleMachineMs: number): number {
  if (!(SLOWNESS >= 1)) throw new Error('ACCOUNT_TEST_SLOW must be a number of at least 1');
  return onIdleMachineMs * SLOWNESS;
}
