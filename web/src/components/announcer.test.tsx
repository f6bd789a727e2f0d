import { render } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { Announcer, useAnnouncement } from './announcer';
import { Status } from './notice';
import { Result } from './result';

function Message({ text }: { text: string | null }) {
  useAnnouncement(text);
  return null;
}

function Page({ texts }: { texts: readonly (string | null)[] }) {
  return (
    <>
      <Announcer />
      {texts.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a test never change their order
        <Message key={index} text={text} />
      ))}
    </>
  );
}

const region = () => document.querySelector('[aria-live="polite"]');
let show: (...texts: (string | null)[]) => void;

beforeEach(() => {
  const { rerender } = render(<Page texts={[null, null]} />);
  show = (...texts) => rerender(<Page texts={texts} />);
});

test('the live region is mounted before its text and stays mounted', () => {
  const mounted = region();
  expect(mounted).toBeEmptyDOMElement();
  show('Signing in…', null);
  expect(mounted).toHaveTextContent('Signing in…');
  show(null, null);
  expect(region()).toBe(mounted);
  expect(mounted).toBeEmptyDOMElement();
});

test('a later message replaces an earlier one, whose end does not clear it', () => {
  show('Loading…', null);
  show('Loading…', 'Language: Deutsch');
  expect(region()).toHaveTextContent('Language: Deutsch');
  show(null, 'Language: Deutsch');
  expect(region()).toHaveTextContent('Language: Deutsch');
});

test('a message ends with its component', () => {
  show('Loading…', null);
  show();
  expect(region()).toBeEmptyDOMElement();
});

test.each([
  [
    'Status',
    <Status key="1">
      <p>Saved.</p>
    </Status>,
  ],
  [
    'Result',
    <Result key="1" status="success">
      <p>Saved.</p>
    </Result>,
  ],
])('%s is announced by the mounted live region, and only there', (_name, message) => {
  const { rerender } = render(<Announcer />);
  rerender(
    <>
      <Announcer />
      {message}
    </>,
  );
  const [status] = document.querySelectorAll('[role="status"]');
  expect(status).toHaveTextContent('Saved.');
  expect(status).toHaveAttribute('aria-live', 'off');
  const regions = [...document.querySelectorAll('[aria-live="polite"]')];
  expect(regions.map(({ textContent }) => textContent)).toContain('Saved.');
});
