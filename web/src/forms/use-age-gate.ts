import { useEffect, useRef } from 'react';
import { type AgeCheckedForm, countAgeRefusal, isBlockedForAge } from '../api/age-refusals';
import { isRefusal } from '../api/client';
import { logFailure } from '../api/message';
import { useConfig } from '../config';
import type { FieldErrors } from './field-errors';

interface AgeGate {
  /** Counts a submit with a birthday below the minimum age. If there are too many, rejects every birthday. */
  applyAgeLimit: (errors: FieldErrors) => FieldErrors;
  /** Counts a rejection by the server, which also knows the attempts before a reload. */
  countRefusal: (failure: unknown) => void;
}

/**
 * Limits the submits of a form with a birthday below the minimum age. After the limit every birthday is rejected, so
 * that a child cannot try birthdays until one is accepted. The server also counts the rejected submits in a signed
 * cookie, because a reload resets the count of the page.
 */
export function useAgeGate(form: AgeCheckedForm): AgeGate {
  const { attempts } = useConfig().age;
  const underageCount = useRef(0);
  // Each request waits for the previous request, because each response sets the cookie with the next count.
  const lastCountRequest = useRef<Promise<unknown>>(Promise.resolve());

  useEffect(() => {
    isBlockedForAge(form).then((blocked) => {
      if (blocked) underageCount.current = Math.max(underageCount.current, attempts);
    }, logFailure);
  }, [attempts, form]);

  function applyAgeLimit(errors: FieldErrors): FieldErrors {
    const isBlocked = underageCount.current >= attempts;
    const error = errors.birthday;
    if (error && 'code' in error && error.code === 'underage') {
      underageCount.current += 1;
      if (!isBlocked)
        lastCountRequest.current = lastCountRequest.current
          .then(() => countAgeRefusal(form))
          .catch(logFailure);
    }
    return isBlocked ? { ...errors, birthday: { code: 'underage' } } : errors;
  }

  function countRefusal(failure: unknown): void {
    if (isRefusal(failure, 'underage')) underageCount.current += 1;
    if (isRefusal(failure, 'too_many_attempts')) underageCount.current = attempts;
  }

  return { applyAgeLimit, countRefusal };
}
