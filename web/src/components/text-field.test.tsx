import { render, screen } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { expect, onTestFinished, test } from 'vitest';
import { Button } from './button';
import { PasswordField } from './password-field';
import { TextField } from './text-field';

test('the browser does not correct a name', () => {
  render(<TextField label="Username" name="username" />);
  const field = screen.getByLabelText('Username');
  expect(field).toHaveAttribute('autocorrect', 'off');
  expect(field).toHaveAttribute('spellcheck', 'false');
});

test.each([
  ['a click', (user: UserEvent) => user.click(screen.getByRole('button', { name: 'Sign in' }))],
  ['Enter', (user: UserEvent) => user.keyboard('{Enter}')],
])('a shown password is hidden before %s submits the form', async (_, submit) => {
  const types: string[] = [];
  const onSubmit = (event: Event) => {
    event.preventDefault();
    types.push(field.type);
  };
  addEventListener('submit', onSubmit, true);
  onTestFinished(() => removeEventListener('submit', onSubmit, true));
  render(
    <form>
      <PasswordField autoComplete="current-password" label="Password" name="password" />
      <Button>Sign in</Button>
    </form>,
  );
  const user = userEvent.setup();
  const field = screen.getByLabelText<HTMLInputElement>('Password');
  await user.click(screen.getByRole('button', { name: 'Show Password' }));
  await user.type(field, 'Abcde1');
  expect(field.type).toBe('text');
  await submit(user);
  expect(types).toEqual(['password']);
  expect(field).toHaveValue('Abcde1');
});
