import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { HouseLights } from './house-lights';

test.each([
  [false, false, 'Account protection: 1 of 3 lights is on. A passkey turns on the next one.'],
  [
    true,
    false,
    'Account protection: 2 of 3 lights are on. Two-step verification turns on the next one.',
  ],
  [
    true,
    true,
    'Account protection: 3 of 3 lights are on. The whole house is lit: your account is well protected.',
  ],
  [
    null,
    false,
    'Account protection: 1 of 2 lights is on. Two-step verification turns on the next one.',
  ],
])('with passkey %s and two-step verification %s: %s', (passkey, twoStep, sentence) => {
  const { container } = render(<HouseLights passkey={passkey} twoStep={twoStep} />);
  expect(screen.getByText(sentence)).toBeVisible();
  expect(container.querySelectorAll('rect.lit')).toHaveLength(
    Number.parseInt(sentence.replace(/\D+/, ''), 10),
  );
});

test('the windows of the house are lit as the account is, until the component is removed', () => {
  const house = document.createElement('div');
  house.innerHTML = '<i class="lit passkey-window"></i><i class="lit two-step-window"></i>';
  document.body.append(house);
  const lit = () => [...house.children].map(({ classList }) => classList.contains('lit'));
  const { rerender, unmount } = render(<HouseLights passkey={false} twoStep={false} />);
  expect(lit()).toEqual([false, false]);
  rerender(<HouseLights passkey twoStep={false} />);
  expect(lit()).toEqual([true, false]);
  unmount();
  expect(lit()).toEqual([true, true]);
  house.remove();
});
