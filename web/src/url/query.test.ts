import { expect, test } from 'vitest';
import { readQuery } from './query';

test.each([
  ['?email=lee+tag@example.org', 'lee+tag@example.org'],
  ['?email=lee%2Btag%40example.org', 'lee+tag@example.org'],
  ['?email=lee%20tag', 'lee tag'],
])('a plus in %s is a plus', (search, email) => {
  expect(readQuery(search).get('email')).toBe(email);
});
