import { useRef } from 'react';
import { isRefusal } from '../api/client';
import { useConfig } from '../config';
import type { Faults } from './use-form';

interface AgeGate {
  /** Counts a birthday under age, and finds fault with any birthday once the cap is reached. */
  judge: (faults: Faults) => Faults;
  /** Counts a refusal of the server, which knows of earlier tries. */
  note: (failure: unknown) => void;
}

/**
 * Counts the submissions of somebody under age. Once the cap is reached no birthday helps any more
 * (specification section 4): guessing the right one is not a way in. The server counts as well.
 */
export function useAgeGate(): AgeGate {
  const { attempts } = useConfig().age;
  const underage = useRef(0);

  function judge(faults: Faults): Faults {
    const shut = underage.current >= attempts;
    const fault = faults.birthday;
    if (fault && 'code' in fault && fault.code === 'underage') underage.current += 1;
    return shut ? { ...faults, birthday: { code: 'underage' } } : faults;
  }

  function note(failure: unknown): void {
    if (isRefusal(failure, 'underage')) underage.current += 1;
    if (isRefusal(failure, 'too_many_attempts')) underage.current = attempts;
  }

  return { judge, note };
}
