import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiFailure } from '../../api/client';
import { PopcornBreak } from './popcorn-break';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function failureOf(seconds: number | null) {
  return new ApiFailure(429, { code: 'rate_limited', detail: 'Wait a moment.' }, false, seconds);
}

/** Counts the pieces of popcorn, without the bucket. */
const piecesOf = (bucket: Element) => bucket.querySelectorAll('path:not(.lit)').length;

test('the bucket shows the minutes, loses popcorn, and then says that one can try again', () => {
  const { container } = render(<PopcornBreak failure={failureOf(150)} />);
  const bucket = container.querySelector('svg') as SVGElement;
  expect(bucket).toHaveTextContent('3 min');
  expect(piecesOf(bucket)).toBe(3);
  act(() => vi.advanceTimersByTime(31_000));
  expect(bucket).toHaveTextContent('2 min');
  expect(piecesOf(bucket)).toBe(2);
  expect(screen.queryByText('You can try again now.')).toBeNull();
  act(() => vi.advanceTimersByTime(120_000));
  expect(screen.getByText('You can try again now.')).toBeVisible();
  expect(bucket).not.toBeInTheDocument();
});

test.each([
  failureOf(null),
  new ApiFailure(503, { code: 'busy', detail: 'A short break.' }, false, 60),
])('an error without the end of a rate limit shows no bucket', (failure) => {
  const { container } = render(<PopcornBreak failure={failure} />);
  expect(container).toBeEmptyDOMElement();
});
