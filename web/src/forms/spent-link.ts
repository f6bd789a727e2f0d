import { isRefusal } from '../api/client';
import { report } from '../api/message';

/** The `handled` of a form whose mailed link may be spent. The screen then replaces the form. */
export function handledSpentLink(onSpent: (failure: unknown) => void) {
  return (failure: unknown): boolean => {
    if (!isRefusal(failure, 'invalid_token')) return false;
    report(failure);
    onSpent(failure);
    return true;
  };
}
