import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holdInput } from './held-input';

const PAGE = `
  <button type="button" id="language">Language</button>
  <form id="search"><button>Search</button></form>
  <div id="content">
    <form id="form"><button id="send">Sign in</button></form>
    <button type="button" id="show">Show</button>
    <button type="button" id="menu" popovertarget="list">Menu</button>
    <a id="link" href="/account/signup">Join</a>
    <a id="foreign" href="https://elsewhere.example/">Elsewhere</a>
  </div>`;

let held: ReturnType<typeof holdInput>;

/** Starts holding input on a page with this query in its URL. */
function hold(query = '') {
  history.replaceState(null, '', `/account/${query}`);
  held = holdInput();
}

function element<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element "${id}"`);
  return found as E;
}

/** Counts the events that reach the handlers of an element. Prevents the default, because jsdom cannot send a form. */
function count(id: string, event: 'click' | 'submit') {
  const reached = vi.fn((received: Event) => received.preventDefault());
  element(id).addEventListener(event, reached);
  return reached;
}

beforeEach(() => {
  document.body.innerHTML = PAGE;
});

afterEach(() => {
  // Both parts are marked as mounted, so that the listeners of this test hold no input of the next test.
  held.replay('shell');
  held.replay('screen');
});

test('a button clicked early is busy and is clicked once when its part is mounted', () => {
  hold();
  const show = element('show');
  show.click();
  show.click();
  expect(show).toHaveAttribute('aria-busy', 'true');
  const pressed = count('show', 'click');
  held.replay('shell');
  expect(pressed).not.toHaveBeenCalled();
  held.replay('screen');
  held.replay('screen');
  expect(pressed).toHaveBeenCalledTimes(1);
  expect(show).not.toHaveAttribute('aria-busy');
});

test('a button of the shell does not wait for the screen', () => {
  hold();
  element('language').click();
  element('show').click();
  const language = count('language', 'click');
  const show = count('show', 'click');
  held.replay('shell');
  expect(language).toHaveBeenCalledTimes(1);
  expect(show).not.toHaveBeenCalled();
  expect(element('show')).toHaveAttribute('aria-busy', 'true');
});

test('a button that opens a popover is left to the browser', () => {
  hold();
  element('menu').click();
  expect(element('menu')).not.toHaveAttribute('aria-busy');
  const pressed = count('menu', 'click');
  held.replay('screen');
  expect(pressed).not.toHaveBeenCalled();
});

test('an early submit is delayed and sent once when the screen is mounted', () => {
  hold();
  const sent = count('form', 'submit');
  const submit = new SubmitEvent('submit', {
    bubbles: true,
    cancelable: true,
    submitter: element('send'),
  });
  element('form').dispatchEvent(submit);
  expect(submit.defaultPrevented).toBe(true);
  expect(element('send')).toHaveAttribute('aria-busy', 'true');
  sent.mockClear();
  held.replay('shell');
  expect(sent).not.toHaveBeenCalled();
  held.replay('screen');
  held.replay('screen');
  expect(sent).toHaveBeenCalledTimes(1);
  expect(element('send')).not.toHaveAttribute('aria-busy');
});

test('a form outside the screen is never delayed', () => {
  hold();
  const sent = vi.fn();
  element('search').addEventListener('submit', (event) => {
    sent(event.defaultPrevented);
    event.preventDefault();
  });
  element('search').querySelector('button')?.click();
  expect(sent).toHaveBeenCalledExactlyOnceWith(false);
});

test('after the mount nothing is delayed', () => {
  hold();
  held.replay('shell');
  held.replay('screen');
  element('show').click();
  expect(element('show')).not.toHaveAttribute('aria-busy');
  const submit = new SubmitEvent('submit', { bubbles: true, cancelable: true });
  element('form').dispatchEvent(submit);
  expect(submit.defaultPrevented).toBe(false);
});

test.each([
  ['?app=episodes', 'link', 'http://localhost/account/signup?app=episodes'],
  ['', 'link', 'http://localhost/account/signup'],
  ['?app=episodes', 'foreign', 'https://elsewhere.example/'],
])('a followed link of a page with "%s": %s', (query, id, target) => {
  hold(query);
  const link = element<HTMLAnchorElement>(id);
  // The test only checks the URL of the link, because jsdom cannot navigate.
  link.addEventListener('click', (event) => event.preventDefault());
  link.click();
  expect(link.href).toBe(target);
});

test('a load failure ends all waiting, and later clicks and submits focus the alert', () => {
  hold();
  element('show').click();
  const alert = document.createElement('div');
  alert.tabIndex = -1;
  document.body.append(alert);
  held.fail(alert);
  expect(element('show')).not.toHaveAttribute('aria-busy');
  expect(alert).toHaveFocus();
  alert.blur();
  element('show').click();
  expect(element('show')).not.toHaveAttribute('aria-busy');
  expect(alert).toHaveFocus();
  alert.blur();
  const submit = new SubmitEvent('submit', { bubbles: true, cancelable: true });
  element('form').dispatchEvent(submit);
  expect(submit.defaultPrevented).toBe(true);
  expect(alert).toHaveFocus();
});

test('a load failure does not move the focus of a user without an early click', () => {
  hold();
  const alert = document.createElement('div');
  alert.tabIndex = -1;
  document.body.append(alert);
  held.fail(alert);
  expect(alert).not.toHaveFocus();
});
