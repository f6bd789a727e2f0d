import { useEffect, useRef } from 'react';
import { countAgeRefusal, isBlockedForAge } from '../api/age-refusals';
import { isRefusal } from '../api/client';
import { report } from '../api/message';
import { useConfig } from '../config';
import type { FieldErrors } from './use-form';

interface AgeGate {
  /** Counts a birthday under age, and refuses any birthday once the cap is reached. */
  applyAgeLimit: (errors: FieldErrors) => FieldErrors;
  /** Counts a refusal of the server, which knows of earlier tries. */
  countRefusal: (failure: unknown) => void;
}

/**
 * Counts the submissions of somebody under age. Once the cap is reached no birthday helps any more
 * (specification section 4): guessing the right one is not a way in. The server keeps the count in a signed
 * cookie, so that a reload does not start again, and checks it as well.
 */
export function useAgeGate(): AgeGate {
  const { attempts } = useConfig().age;
  const underage = useRef(0);
  // One after the other: each answer brings the cookie that the next call counts on.
  const told = useRef<Promise<unknown>>(Promise.resolve());

  useEffect(() => {
    isBlockedForAge().then((blocked) => {
      if (blocked) underage.current = Math.max(underage.current, attempts);
    }, report);
  }, [attempts]);

  function applyAgeLimit(errors: FieldErrors): FieldErrors {
    const shut = underage.current >= attempts;
    const error = errors.birthday;
    if (error && 'code' in error && error.code === 'underage') {
      underage.current += 1;
      if (!shut) told.current = told.current.then(countAgeRefusal).catch(report);
    }
    return shut ? { ...errors, birthday: { code: 'underage' } } : errors;
  }

  function countRefusal(failure: unknown): void {
    if (isRefusal(failure, 'underage')) underage.current += 1;
    if (isRefusal(failure, 'too_many_attempts')) underage.current = attempts;
  }

  return { applyAgeLimit, countRefusal };
}
