import { expect, test } from 'vitest';
import { estimateStrength } from './password-strength';

const ada = ['ada.lovelace@example.com', 'Countess1815', 'Couch & Moon'];

test.each([
  'Password1',
  'P4ssw0rd!',
  'Summer2031!',
  'Abcdef1',
  'Qwerty123',
  'Iloveyou99',
  'WE1C0ME',
  '1Q2w3e4r',
  '123456789',
])('"%s" is weak, because it is a common password', (password) => {
  expect(estimateStrength(password, [])).toEqual({ strength: 'weak', advice: 'common' });
});

test.each([
  ['xX-Lovelace-77-Xx', 'lovelace'],
  ['C0untess-on-the-roof', 'Countess'],
  ['My.example.Site-9', 'example'],
  ['Moon-and-stars-12', 'Moon'],
])('"%s" is weak, because it contains the personal word "%s"', (password, word) => {
  expect(estimateStrength(password, ada)).toEqual({ strength: 'weak', advice: 'personal', word });
});

test('a name of three letters may occur in a password', () => {
  expect(estimateStrength('Canada-Trapper-17', ada).advice).toBeNull();
});

test.each([
  ['Kx7pQm', 'weak', 'longer'],
  ['Kx7pQmZt', 'fair', 'longer'],
  ['Kx7pQmZtBv4', 'good', null],
  ['Seven purple tubas 4', 'strong', null],
  ['Aaaaaaaaaaaaaaaaaa1', 'weak', 'longer'],
  ['Opqrstuvwxyz987654', 'weak', 'longer'],
  ['X1x1X1x1X1x1X1x1', 'weak', 'longer'],
])('"%s" is %s', (password, strength, advice) => {
  expect(estimateStrength(password, [])).toEqual({ strength, advice });
});
