import { expect, test } from '../fixtures.ts';
import { SampleApp } from '../screens/sample-app.ts';
import { API } from '../site/accounts.ts';
import { Program } from '../site/program.ts';

test('the sample application of the demo signs in and out with the account', async ({
  browser,
  expectAccessible,
}) => {
  const demo = await Program.start({}, 'demo');
  const context = await browser.newContext();
  const app = new SampleApp(await context.newPage(), demo);
  await app.open();
  await expectAccessible(app.page);

  await app.signIn.click();
  await app.fillForm();
  await expect(app.hello).toBeVisible();
  const me = await (await context.request.get(`${demo.origin}${API}/users/me`)).json();
  await expect(app.id).toHaveText(me.id);
  await expectAccessible(app.page);

  await app.signOut.click();
  await expect(app.signedOut).toBeVisible();
  await expectAccessible(app.page);
  const answer = await context.request.get(`${demo.origin}${API}/users/me`);
  expect(answer.status()).toBe(401);
  await context.close();
  await demo.stop();
});
