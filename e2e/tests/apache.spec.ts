import { expect, test } from '../fixtures.ts';
import { Apache, apacheClient } from '../openid/apache.ts';
import { PROVIDER_SETTINGS, SECRET_SHA256 } from '../openid/provider.ts';
import { SignInScreen } from '../screens/sign-in.ts';
import { join, newPerson } from '../site/accounts.ts';
import { freePort } from '../site/program.ts';
import { fill, words } from '../words.ts';

test('Apache lets a person in who signs in on the way, and out again', async ({
  browser,
  startOwnSite,
}) => {
  const port = await freePort();
  const site = await startOwnSite(PROVIDER_SETTINGS, apacheClient(port, SECRET_SHA256));
  const apache = await Apache.start(port, `${site.origin}/account`);
  try {
    const person = newPerson();
    await join(site, person);
    const context = await browser.newContext();
    const page = await context.newPage();
    const hello = page.getByRole('heading', { name: `Hello, ${person.username}` });
    const toArchive = fill(words.en.sign_in.continue_to, { name: 'Couch Archive' });

    await page.goto(`${apache.origin}/?page=2`);
    await expect(page.getByText(toArchive)).toBeVisible();
    await new SignInScreen(page).signIn(person);
    await expect(hello).toBeVisible();
    expect(page.url()).toBe(`${apache.origin}/?page=2`);

    // The session at the provider signs in without a question.
    await context.clearCookies({ name: /^mod_auth_openidc/ });
    await page.goto(apache.origin);
    await expect(hello).toBeVisible();

    const bye = `${apache.origin}/bye.html`;
    await page.goto(`${apache.origin}/oidc/callback?logout=${encodeURIComponent(bye)}`);
    expect(page.url()).toBe(bye);
    await page.goto(apache.origin);
    await expect(page.getByText(toArchive)).toBeVisible();

    await context.close();
  } finally {
    await apache.stop();
  }
});
