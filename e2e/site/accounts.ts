import { randomBytes } from 'node:crypto';
import type { BrowserContext } from '@playwright/test';
import type { Site } from './site.ts';
import { codeOf } from './totp.ts';

export interface Person {
  email: string;
  username: string;
  password: string;
}

/** Returns a new user without an account. The name is unique to the test. */
export function newPerson(): Person {
  const name = `fan${randomBytes(6).toString('hex')}`;
  return { email: `${name}@example.com`, username: name, password: 'Sunny-Couch-42' };
}

export const API = '/account/account-api';

/** Registers a user by the API and does not verify the email address. */
export async function register(site: Site, person: Person): Promise<void> {
  const answer = await fetch(`${site.origin}${API}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...person,
      country: 'de',
      zipcode: '10115',
      birthday_day: 7,
      birthday_month: 4,
      birthday_year: 1989,
      marketing_consent: false,
    }),
  });
  if (answer.status !== 201) {
    throw new Error(`registration answered ${answer.status}: ${await answer.text()}`);
  }
}

/** Registers a user and opens the mailed link, so that the user can sign in. */
export async function join(site: Site, person: Person): Promise<void> {
  await register(site, person);
  const link = new URL(await site.mailbox.link(person.email, '/account/verify-email'));
  const answer = await fetch(`${site.origin}${API}/confirm-email${link.search}`);
  if (!answer.ok) throw new Error(`verification answered ${answer.status}: ${await answer.text()}`);
}

/** Signs in by the API from a known device, or from the first device of the user. */
export async function signInByApi(
  context: BrowserContext,
  { email, password }: Person,
): Promise<void> {
  const answer = await context.request.post(`${API}/login`, { data: { email, password } });
  if (!answer.ok()) throw new Error(`signing in answered ${answer.status()}`);
}

/** Signs in from a new device and approves the device by the mailed link. */
export async function signInElsewhere(
  context: BrowserContext,
  site: Site,
  { email, password }: Person,
): Promise<void> {
  const login = () => context.request.post(`${API}/login`, { data: { email, password } });
  const refused = await login();
  const link = new URL(await site.mailbox.link(email, '/account/verify-email'));
  const approved = await context.request.get(`${API}/confirm-email${link.search}`);
  const admitted = await login();
  const statuses = [refused, approved, admitted].map((answer) => answer.status());
  if (statuses.join() !== '403,200,200') throw new Error(`signing in elsewhere: ${statuses}`);
}

/** Turns two-step verification on by the API. Returns the secret of the authenticator app and the recovery codes. */
export async function addSecondFactor({ request }: BrowserContext) {
  const setup = await request.post(`${API}/second-factor/totp`, { data: {} });
  const { secret }: { secret: string } = await setup.json();
  // A code is accepted during its own time step, the step before and the step after. This code belongs to the current
  // step and the following code to the next step, so no code expires if a step ends in between.
  const data = { code: codeOf(secret) };
  const answer = await request.post(`${API}/second-factor/totp/confirm`, { data });
  if (!answer.ok()) throw new Error(`the second factor answered ${answer.status()}`);
  const { recovery_codes: codes }: { recovery_codes: string[] } = await answer.json();
  return { secret, codes };
}
