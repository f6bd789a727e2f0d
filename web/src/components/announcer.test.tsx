import { render } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { Announcer, useAnnouncement } from './announcer';

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
