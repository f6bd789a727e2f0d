import { computer } from '../chromium.ts';
import { expect, test } from '../fixtures.ts';
import { declineOffer } from '../screens/passkey-offer.ts';
import { supportScreen } from '../screens/support.ts';
import { API, addSecondFactor, join, newPerson, signInByApi } from '../site/accounts.ts';
import { words } from '../words.ts';

test.use(computer);

const { activity, support } = words.en;

test('an agent finds an account and acts on it, and the owner sees both', {
  tag: '@postgres',
}, async ({ page, startOwnSite, newBrowser, expectAccessible }) => {
  const site = await startOwnSite({
    ACCOUNT_SUPPORT__ENABLED: 'true',
    ACCOUNT_LIFETIMES__SUPPORT_SESSION: '1h',
  });
  const [agent, person] = [newPerson(), newPerson()];
  await join(site, agent);
  await join(site, person);
  const context = await newBrowser(site);
  const desk = await context.newPage();
  await declineOffer(desk);
  await signInByApi(context, agent);
  const view = supportScreen(desk);

  // If the account has no role, the page does not exist.
  const nothing = await view.open();
  expect(nothing?.status()).toBe(404);

  // The account gets a strong factor, because a role needs a strong factor.
  await addSecondFactor(context);

  await site.program.command('support', 'grant', '--role', 'admin', '--email', agent.email);
  const found = await view.open();
  expect(found?.status()).toBe(200);
  await expect(view.heading).toBeVisible();
  await expectAccessible(desk);
  await view.find('nobody');
  await expect(view.status).toContainText(support.none);
  await view.find(person.username);
  await expect(view.facts).toContainText(support.state_active);
  await expect(view.facts).not.toContainText(person.email);
  await expectAccessible(desk);
  await view.act(support.disable, 'Ticket 4711');
  await expect(view.facts).toContainText(support.state_disabled);
  const refused = { email: person.email, password: person.password };
  const answer = await page.request.post(`${site.origin}${API}/login`, { data: refused });
  expect(answer.status()).toBe(403);
  await view.act(support.enable, 'Ticket 4711');
  await expect(view.facts).toContainText(support.state_active);
  await view.button(support.audit_show).click();
  await expect(desk.getByRole('listitem').first()).toContainText(support.audit_action.read_audit);

  // The user is notified of the agent's action.
  const own = await newBrowser(site);
  const home = await own.newPage();
  await declineOffer(home);
  await signInByApi(own, person);
  await home.goto('/account/activity');
  await expect(home.getByText(activity.support_acted).first()).toBeVisible();
  await expect(home.getByText(activity.support_viewed).first()).toBeVisible();
});
