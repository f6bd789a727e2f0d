import { expect, type Page } from '@playwright/test';

/** Expects references, ids, options and nesting as HTML and WAI-ARIA require, because axe does not check them. */
export async function expectValidMarkup(page: Page): Promise<void> {
  const wrong = await page.evaluate(() => {
    const references = [
      ...['aria-activedescendant', 'aria-controls', 'aria-describedby', 'aria-details'],
      ...['aria-errormessage', 'aria-flowto', 'aria-labelledby', 'aria-owns', 'for', 'list'],
    ];
    // The attributes whose value must not be empty.
    const filled = [...references, 'id', 'name', 'role', 'type', 'href', 'src', 'autocomplete'];
    const interactive = 'a[href], button, select, textarea, input:not([type="hidden"]), label';
    const rules: [string, (element: Element) => boolean][] = [
      ...filled.map((name): [string, (element: Element) => boolean] => [
        `empty ${name}`,
        (element) => element.getAttribute(name)?.trim() === '',
      ]),
      ...references.map((name): [string, (element: Element) => boolean] => [
        `${name} refers to nothing`,
        (element) =>
          (element.getAttribute(name) ?? '')
            .split(/\s+/)
            .some((id) => id !== '' && !document.getElementById(id)),
      ]),
      [
        'id twice',
        ({ id }) => id !== '' && document.querySelectorAll(`#${CSS.escape(id)}`).length > 1,
      ],
      [
        'option without a text',
        (element) =>
          element instanceof HTMLOptionElement && !element.label && !element.textContent?.trim(),
      ],
      ['button without a type', (element) => element.matches('button:not([type])')],
      [
        'control inside a control',
        (element) =>
          element.matches(interactive) &&
          Boolean(element.parentElement?.closest('a[href], button')),
      ],
      [
        'block inside phrasing content',
        (element) =>
          element.matches('p :is(p, div, ul, ol, dl, h1, h2, h3, form, section, table)') ||
          element.matches('button :is(p, div, ul, ol, h1, h2, h3), span :is(p, div, ul, ol)'),
      ],
      [
        'list with another child',
        (element) => element.matches(':is(ul, ol) > :not(li, script, template)'),
      ],
      ['term outside of a list', (element) => element.matches('dt, dd') && !element.closest('dl')],
      ['form inside a form', (element) => element.matches('form form')],
    ];
    return [...document.querySelectorAll('*')].flatMap((element) =>
      rules
        .filter(([, isBroken]) => isBroken(element))
        .map(([rule]) => `${rule}: ${element.outerHTML.slice(0, 200)}`),
    );
  });
  expect(wrong).toEqual([]);
}
