import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { renderToString } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import { Unreachable } from '../api/client';
import { BirthdayField } from '../components/birthday-field';
import { Button } from '../components/button';
import { Checkbox } from '../components/checkbox';
import { Failure } from '../components/failure';
import { TextField } from '../components/text-field';
import { ConfigProvider } from '../config';
import { config } from '../testing/api';
import { collectErrors } from './field-errors';
import { useTypedText } from './typed-text';
import { type FormOptions, useForm } from './use-form';

const FIELDS = { name: '', day: '', month: '', year: '' };
type Options = Partial<FormOptions<typeof FIELDS, void>>;

function Sample(options: Options) {
  const form = useForm({
    fields: FIELDS,
    check: ({ name }) => collectErrors({ name: name ? null : 'missing_field' }),
    send: async () => undefined,
    onDone: () => undefined,
    ...options,
  });
  const typed = useTypedText(form.ref, 'name');
  return (
    <ConfigProvider value={config}>
      <form {...form.props}>
        <Failure fallback="" reason={form.failure} />
        <TextField {...form.field('name')} label="Name" />
        <BirthdayField {...form.field('birthday')} hint="" />
        <Checkbox label="News" name="news" />
        <output>{typed}</output>
        <Button busy={form.busy && 'Busy'}>Send</Button>
      </form>
    </ConfigProvider>
  );
}

const name = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' });
const button = () => screen.getByRole('button', { name: 'Send' });
const hint = () => screen.getByRole('status');

/** Renders the form as on a prerendered page, without scripts. */
function prerendered(options: Options) {
  const container = document.body.appendChild(document.createElement('div'));
  container.innerHTML = renderToString(<Sample {...options} />);
  return container;
}

test('input from before hydration is kept, used by the hints and sent', async () => {
  const send = vi.fn(async (_values: object, _page: FormData) => undefined);
  const container = prerendered({ send });
  const user = userEvent.setup();
  await user.type(name(), 'Ada');
  await user.click(screen.getByRole('checkbox'));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Year' }), '1990');
  const { rerender } = render(<Sample send={send} />, { container, hydrate: true });
  expect(hint()).toHaveTextContent('Ada');
  rerender(<Sample send={send} />);
  await user.click(button());
  expect(send.mock.calls[0]?.[0]).toEqual({ name: 'Ada', day: '', month: '', year: '1990' });
  expect(send.mock.calls[0]?.[1].has('news')).toBe(true);
});

test('a value set without an event is sent, also after a render', async () => {
  const send = vi.fn(async () => undefined);
  const { rerender } = render(<Sample send={send} />);
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(name(), 'Ada');
  rerender(<Sample send={send} />);
  await userEvent.click(button());
  expect(send).toHaveBeenCalledExactlyOnceWith(
    { name: 'Ada', day: '', month: '', year: '' },
    expect.any(FormData),
  );
});

test('an error focuses its field, and ends with the next input', async () => {
  const send = vi.fn(async () => undefined);
  render(<Sample send={send} />);
  const user = userEvent.setup();
  await user.click(button());
  expect(name()).toHaveFocus();
  expect(name()).toBeInvalid();
  expect(send).not.toHaveBeenCalled();
  await user.keyboard('A');
  expect(name()).toBeValid();
  expect(hint()).toHaveTextContent('A');
  await user.click(screen.getByRole('button', { name: 'Clear Name' }));
  expect(name()).toHaveFocus();
  expect(hint()).toBeEmptyDOMElement();
});

// A live region announces the error, because screen readers do not read the new description of a focused field.
test.each([
  [false, 1],
  [true, 0],
])(
  'an error of the focused field is announced unless there is a summary (%s)',
  async (summary, alerts) => {
    render(<Sample summary={summary} />);
    await userEvent.type(name(), '{Enter}');
    expect(name()).toHaveFocus();
    expect(name()).toHaveAccessibleDescription('Please fill in this field');
    expect(screen.queryAllByRole('alert')).toHaveLength(alerts);
  },
);

test.each([
  ['Day', '1x2', '12'],
  ['Month', '7', ''],
  ['Year', '1990', ''],
])('one error for the birthday ends with input in %s', async (part, typed, left) => {
  render(<Sample check={() => ({ birthday: { code: 'missing_field' } })} />);
  const user = userEvent.setup();
  await user.click(button());
  const day = screen.getByRole('textbox', { name: 'Day' });
  expect(day).toBeInvalid();
  if (part === 'Day') await user.type(day, typed);
  else await user.selectOptions(screen.getByRole('combobox', { name: part }), typed);
  expect(day).toBeValid();
  expect(day).toHaveValue(left);
});

test('an unhandled failure is shown, and the next submit removes it', async () => {
  const send = vi.fn(() => Promise.reject(new Unreachable('Failed to fetch')));
  const onFailure = vi.fn(() => send.mock.calls.length > 1);
  const onDone = vi.fn();
  render(<Sample onFailure={onFailure} onDone={onDone} send={send} />);
  const user = userEvent.setup();
  await user.type(name(), 'Ada{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent('We can’t reach the server.');
  await user.click(button());
  await waitFor(() => expect(onFailure).toHaveBeenCalledTimes(2));
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(onDone).not.toHaveBeenCalled();
});
