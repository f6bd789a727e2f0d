import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { HouseLights } from './house-lights';

test.each([
  [false, false, 'Your account: 1 of 3 protections on. Next: a passkey.'],
  [false, true, 'Your account: 2 of 3 protections on. Next: a passkey.'],
  [true, false, 'Your account: 2 of 3 protections on. Next: two-step verification.'],
  [true, true, 'Your account: 3 of 3 protections on. All on.'],
  [null, false, 'Your account: 1 of 2 protections on. Next: two-step verification.'],
])('with passkey %s and two-step verification %s: %s', (passkey, twoStep, sentence) => {
  const { container } = render(<HouseLights passkey={passkey} twoStep={twoStep} />);
  expect(screen.getByText(sentence)).toBeVisible();
  const lit = [...container.querySelectorAll('rect')].map((light) => light.matches('.lit'));
  expect(lit).toEqual(lit.map((_, index) => index < Number(sentence.match(/\d/)?.[0])));
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
