import { expect, test } from 'vitest';
import addresses from '../../../testdata/addresses.json';
import cases from '../../../testdata/validation.json';
import { type Birthday, checkBirthday, checkCompletionBirthday } from './birthday';
import { checkEmail, checkMigrationEmail, checkRegistrationEmail, checkResetEmail } from './email';
import {
  checkCompletionPassword,
  checkConfirmation,
  checkMigrationPassword,
  checkNewPassword,
  checkPassword,
} from './password';
import { checkSignIn } from './sign-in';
import { checkUsername } from './username';
import { checkZipcode, checkZipcodeUs } from './zipcode';

// The same table of cases tests the rules of the server, so that client and server cannot diverge.
type Rule = (input: never, today: Date) => string | null;
const rules: Record<string, Rule> = {
  email: checkEmail,
  email_registration: checkRegistrationEmail,
  email_reset: checkResetEmail,
  email_migration: checkMigrationEmail,
  username: checkUsername,
  password6: checkPassword,
  new_password6: checkNewPassword,
  password8: checkMigrationPassword,
  password_completion: (input: string) => checkCompletionPassword(input),
  confirmation: (input: { password: string; confirmation: string }) =>
    checkConfirmation(input.password, input.confirmation),
  zipcode: checkZipcode,
  zipcode_us: checkZipcodeUs,
  birthday: (input: Birthday, today) => checkBirthday(input, 17, today),
  birthday_completion: ({ day = 1, ...rest }: Birthday, today) =>
    checkCompletionBirthday({ day, ...rest }, 18, today),
  sign_in: (input: { email: string; password: string }) => checkSignIn(input.email, input.password),
};

// The client does not validate the country, because the user selects it from a list.
const screenCases = cases.filter(({ rule }) => rule !== 'country');

test.each(
  screenCases.map((row) => [row.rule, JSON.stringify(row.input), row.today ?? '', row] as const),
)('%s of %s %s', (name, _input, today, row) => {
  const rule = rules[name];
  expect(rule, 'the table speaks of a rule that the screens do not know').toBeDefined();
  expect(rule?.(row.input as never, new Date(`${today || '2026-11-21'}T12:00:00Z`))).toBe(row.code);
});

test.each(addresses.map((row) => [JSON.stringify(row.input), row.source, row] as const))(
  'the address %s (%s)',
  (_input, _source, row) => {
    expect(checkEmail(row.input) === null).toBe(row.key !== null);
  },
);

test('the table covers each rule', () => {
  expect(new Set(screenCases.map((row) => row.rule))).toEqual(new Set(Object.keys(rules)));
});
