import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { ConfigProvider } from '../config';
import { config } from '../testing/api';
import { ErrorBoundary } from './error-boundary';

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

function open(Screen: () => string, path = '/') {
  return (
    <ConfigProvider value={config}>
      <ErrorBoundary path={path}>
        <Screen />
      </ErrorBoundary>
    </ConfigProvider>
  );
}

const failing = (failure: unknown) => () => {
  throw failure;
};

test('an error thrown by a screen is shown as text', () => {
  render(open(failing(new Error('<b>no</b> luck'))));
  expect(screen.getByRole('heading', { name: 'Something went wrong' })).toBeVisible();
  expect(screen.getByRole('alert')).toHaveTextContent('<b>no</b> luck');
});

test('a thrown value that is no Error shows the generic message', () => {
  render(open(failing('a string')));
  expect(screen.getByRole('alert')).toHaveTextContent('An unexpected error occurred');
});

test('Try Again clears the error', async () => {
  let broken = true;
  render(
    open(() => {
      if (broken) throw new Error('not yet');
      return 'All is well';
    }),
  );
  broken = false;
  await userEvent.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(screen.getByText('All is well')).toBeVisible();
});

test('a navigation clears the error', () => {
  const { rerender } = render(open(failing(new Error('here')), '/'));
  rerender(open(() => 'Elsewhere', '/signup'));
  expect(screen.getByText('Elsewhere')).toBeVisible();
});
