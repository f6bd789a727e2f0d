import { expect, test } from 'vitest';
import { checkCode, normalizeCode } from './code';

test.each([
  ['123456', '123456'],
  ['123 456', '123456'],
  [' 123-456\n', '123456'],
  ['123\u00a0456', '123456'],
  ['7K3M-Q2XW-9R4T-HB5C', '7K3MQ2XW9R4THB5C'],
  ['7k3m q2xw 9r4t hb5c', '7k3mq2xw9r4thb5c'],
  ['５６０２９２', '560292'],
  ['\u200b123\u2060456\u202c', '123456'],
  ['123\u2212456', '123456'],
  ['2) 7K3M-Q2XW-9R4T-HB5C', '7K3MQ2XW9R4THB5C'],
  ['10.7K3M-Q2XW-9R4T-HB5C', '7K3MQ2XW9R4THB5C'],
  // Some phone keyboards replace two hyphens with a dash.
  ['7K3M–Q2XW—9R4T‐HB5C', '7K3MQ2XW9R4THB5C'],
])('"%s" is sent as "%s"', (typed, code) => {
  expect(normalizeCode(typed)).toBe(code);
  expect(checkCode(typed)).toBeNull();
});

test.each([
  ['', 'missing_field'],
  [' - ', 'missing_field'],
  ['12345', 'code_invalid'],
  ['1234567', 'code_invalid'],
  ['12345a', 'code_invalid'],
  ['7K3M-Q2XW-9R4T', 'code_invalid'],
])('"%s" costs no attempt: %s', (typed, code) => {
  expect(checkCode(typed)).toBe(code);
});
