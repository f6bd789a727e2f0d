import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiFailure } from '../../api/client';
import { ConfigProvider } from '../../config';
import { config } from '../../testing/api';
import { PopcornBreak } from './popcorn-break';
import { StoppedSignIn } from './stopped-sign-in';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Counts the pieces of popcorn in the drawing, without the bucket. */
const piecesOf = (bucket: Element) => bucket.querySelectorAll('path:not(.lit)').length;

test('the message counts with the bucket, and then only says that one can try again', () => {
  const { container } = render(<PopcornBreak seconds={150} />);
  const bucket = container.querySelector('svg text')?.parentElement as Element;
  const alert = screen.getByRole('alert');
  expect(alert).toHaveFocus();
  expect(alert).toHaveTextContent('Please wait 3 minutes and');
  expect(bucket).toHaveTextContent('3 min');
  expect(piecesOf(bucket)).toBe(3);
  act(() => vi.advanceTimersByTime(31_000));
  expect(alert).toHaveTextContent('Please wait 2 minutes and');
  expect(bucket).toHaveTextContent('2 min');
  expect(piecesOf(bucket)).toBe(2);
  expect(screen.queryByText('You can try again now.')).toBeNull();
  act(() => vi.advanceTimersByTime(120_000));
  expect(alert).toHaveTextContent(/^You can try again now\.$/);
  expect(alert).toHaveFocus();
  expect(bucket).not.toBeInTheDocument();
});

test.each([
  new ApiFailure(429, { code: 'rate_limited', detail: 'Wait a moment.' }),
  new ApiFailure(403, { code: 'account_disabled', detail: 'Wait a moment.' }, false, 60),
])('an error without the end of a rate limit shows its message and no bucket', (reason) => {
  const ignore = () => undefined;
  const { container } = render(
    <ConfigProvider value={config}>
      <StoppedSignIn
        email={() => ''}
        onExpired={ignore}
        onRepeat={ignore}
        onSlotFreed={ignore}
        reason={reason}
      />
    </ConfigProvider>,
  );
  expect(screen.getByText('Wait a moment.')).toBeVisible();
  expect(container.querySelector('svg text')).toBeNull();
});
