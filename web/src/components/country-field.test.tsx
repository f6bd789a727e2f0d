import { fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, expect, test, vi } from 'vitest';
import { countryvalues } from '../../../locales/en.json';
import { countriesOf } from '../countries/search';
import { CountryField } from './country-field';

afterEach(() => {
  vi.unstubAllGlobals();
});

const list = countriesOf(countryvalues);

function Sample({ failed = false, known = list, retry = () => undefined }) {
  return <CountryField countries={{ list: failed ? [] : known, failed, retry }} name="country" />;
}

const box = () => screen.getByRole('combobox', { name: 'Country' });
const chosen = () => document.querySelector<HTMLInputElement>('[name="country"]')?.value;

function open() {
  render(<Sample />);
  return userEvent.setup();
}

/** Renders the prerendered field and types into it, before hydration. */
async function typedBeforeScripts(text: string) {
  const user = userEvent.setup();
  const container = document.body.appendChild(document.createElement('div'));
  container.innerHTML = renderToString(<Sample />);
  await user.type(box(), text);
  return { user, container };
}

test('the open list shows every country in alphabetical order, and leaving it selects nothing', async () => {
  const user = open();
  await user.click(box());
  const names = screen.getAllByRole('option').map((option) => option.textContent);
  expect(names).toEqual(list.map(({ name }) => name).sort(new Intl.Collator('en').compare));
  expect(list.length).toBeGreaterThanOrEqual(249);
  await user.tab();
  expect(chosen()).toBe('');
});

test('typing filters the list, the arrow keys move in it and Enter selects', async () => {
  const user = open();
  await user.type(box(), 'united');
  const names = screen.getAllByRole('option').map((option) => option.textContent);
  expect(names).toEqual(['United Arab Emirates', 'United Kingdom', 'United States']);
  await user.keyboard('{ArrowDown}{Enter}');
  expect(box()).toHaveValue('United Kingdom');
  expect(chosen()).toBe('gb');
  expect(screen.queryByRole('option')).not.toBeInTheDocument();
});

test.each(['Enter', 'ArrowDown', 'Escape'])(
  'the key %s of an input method changes nothing',
  async (key) => {
    const user = open();
    await user.type(box(), 'united');
    fireEvent.keyDown(box(), { key, isComposing: true });
    expect(box()).toHaveValue('united');
    expect(screen.getByRole('option', { selected: true })).toHaveTextContent('Emirates');
    expect(box()).toHaveAttribute('autocorrect', 'off');
  },
);

test('a name typed before the countries load is selected afterwards', async () => {
  const user = userEvent.setup();
  const onInput = vi.fn();
  const field = (countries: typeof list) => (
    <CountryField
      countries={{ list: countries, failed: false, retry: () => undefined }}
      name="country"
      onInput={onInput}
    />
  );
  const { rerender } = render(field([]));
  await user.type(box(), 'chile');
  expect(chosen()).toBe('');
  expect(onInput).not.toHaveBeenCalled();
  rerender(field(list));
  expect(chosen()).toBe('cl');
  expect(onInput).toHaveBeenCalledOnce();
});

test('when the countries load, the first match of the typed text is highlighted', async () => {
  const user = userEvent.setup();
  const { rerender } = render(<Sample known={[]} />);
  await user.type(box(), 'united');
  rerender(<Sample />);
  await user.keyboard('{ArrowDown}{Enter}');
  expect(chosen()).toBe('gb');
});

test('text typed before the scripts load opens the list of its matches', async () => {
  const { user, container } = await typedBeforeScripts('united');
  render(<Sample />, { container, hydrate: true });
  expect(screen.getAllByRole('option')).toHaveLength(3);
  await user.keyboard('{Enter}');
  expect(chosen()).toBe('ae');
});

test('text typed before the scripts load opens no list after the field lost the focus', async () => {
  const { user, container } = await typedBeforeScripts('united');
  await user.tab();
  render(<Sample />, { container, hydrate: true });
  expect(box()).toHaveValue('united');
  expect(screen.queryByRole('option')).not.toBeInTheDocument();
});

test('without a match nothing is highlighted', async () => {
  const user = open();
  await user.type(box(), 'Atlantis');
  expect(screen.queryByRole('option')).not.toBeInTheDocument();
  expect(box()).not.toHaveAttribute('aria-activedescendant');
});

test('a text that names no country stays the filter of the list', async () => {
  const user = open();
  await user.type(box(), 'atlantis{Escape}{ArrowDown}');
  expect(screen.queryByRole('option')).not.toBeInTheDocument();
  await user.tab();
  expect(chosen()).toBe('');
});

test('leaving the field selects the first match', async () => {
  const user = open();
  await user.type(box(), 'cote');
  await user.tab();
  expect(chosen()).toBe('ci');
});

test('a complete name is selected, and a further character clears the selection', async () => {
  const user = open();
  await user.type(box(), 'germany');
  expect(chosen()).toBe('de');
  await user.type(box(), 'x');
  expect(chosen()).toBe('');
  expect(screen.getByText('No matching country')).toBeVisible();
});

test('Enter after a whole name keeps that country, and the open list then shows all countries', async () => {
  const user = open();
  await user.type(box(), 'germany{Enter}');
  expect(chosen()).toBe('de');
  expect(box()).toHaveValue('Germany');
  await user.click(box());
  expect(screen.getAllByRole('option')).toHaveLength(list.length);
});

test('the clear button removes the choice', async () => {
  const user = open();
  await user.type(box(), 'brazil{Enter}');
  expect(chosen()).toBe('br');
  await user.click(screen.getByRole('button', { name: 'Clear Country' }));
  expect(chosen()).toBe('');
  expect(box()).toHaveValue('');
  expect(box()).toHaveFocus();
});

test('a list that fails to load shows an error and can be loaded again', async () => {
  const retry = vi.fn();
  const user = userEvent.setup();
  render(<Sample failed retry={retry} />);
  expect(box()).toHaveAccessibleDescription('We couldn’t load the list of countries.');
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(retry).toHaveBeenCalledOnce();
});

test('a key pressed directly after the countries have loaded is kept', async () => {
  // The test does not use `act`, because `act` would run the effects before the key press.
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  const container = document.body.appendChild(document.createElement('div'));
  const root = createRoot(container);
  flushSync(() => root.render(<Sample known={[]} />));
  const input = box() as HTMLInputElement;
  input.focus();
  typeAtOnce(input, 'niger');
  const loaded = new Promise((resolve) => {
    new MutationObserver(resolve).observe(input, { attributeFilter: ['aria-busy'] });
  });
  root.render(<Sample />);
  await loaded;
  typeAtOnce(input, 'nigeri');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(input).toHaveValue('nigeri');
  root.unmount();
  container.remove();
});

/** Enters the text with one `input` event, as autofill does. */
function typeAtOnce(input: HTMLInputElement, text: string) {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);
  input.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

test('Enter directly after the last key selects the typed country', async () => {
  render(<Sample />);
  const input = box() as HTMLInputElement;
  // The events are dispatched synchronously, so that no React effect runs between them.
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  typeAtOnce(input, 'United States');
  await Promise.resolve();
  input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  await Promise.resolve();
  expect(input).toHaveValue('United States');
  await vi.waitFor(() => expect(chosen()).toBe('us'));
});

test('the country of the region is chosen at first, and can be cleared', async () => {
  const user = userEvent.setup();
  const field = (countries: typeof list) => (
    <CountryField
      countries={{ list: countries, preselected: 'de', failed: false, retry: () => undefined }}
      name="country"
    />
  );
  const { rerender } = render(field([]));
  expect(chosen()).toBe('');
  rerender(field(list));
  expect(box()).toHaveValue('Germany');
  expect(chosen()).toBe('de');
  await user.clear(box());
  expect(chosen()).toBe('');
});

test('no country is preselected in the field that the user is about to type into', async () => {
  const user = userEvent.setup();
  const field = (preselected: string | null) => (
    <CountryField
      countries={{ list, preselected, failed: false, retry: () => undefined }}
      name="country"
    />
  );
  const { rerender } = render(field(null));
  await user.tab();
  rerender(field('de'));
  await user.keyboard('United S');
  expect(box()).toHaveValue('United S');
  await user.keyboard('{Enter}');
  expect(chosen()).toBe('us');
});

test('a typed code selects its country when the field is left', async () => {
  const user = open();
  await user.type(box(), 'uk');
  expect(chosen()).toBe('');
  await user.type(box(), 'raine', { skipClick: true });
  expect(chosen()).toBe('ua');
  await user.clear(box());
  await user.type(box(), 'usa', { skipClick: true });
  await user.tab();
  expect(box()).toHaveValue('United States');
  expect(chosen()).toBe('us');
});

test('an autofilled code or other name is replaced by the name', () => {
  render(<Sample />);
  fireEvent.change(box(), { target: { value: 'USA' } });
  expect(box()).toHaveValue('United States');
  expect(chosen()).toBe('us');
});

test('a closed list refers to no option', () => {
  render(<Sample />);
  expect(box()).not.toHaveAttribute('aria-activedescendant');
});
