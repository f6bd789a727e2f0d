import defaults from './fragment-inside.css?inline';

// Elements that load, run or send something are removed for defence in depth: the server has sanitised the HTML, and
// the content security policy blocks them too.
const FORBIDDEN_ELEMENTS = 'script, iframe, object, embed, base, meta, form, link, template';

// Removes the height that is reserved for a header or footer that is still loading (fragment.module.css).
const COLLAPSED_STYLE = ':host { --room: 0px }';

/** Inserts third-party HTML into the shadow root of `host` and returns the root. Scripts in the HTML never run. */
export function fillShadow(host: HTMLElement, html: string): ShadowRoot {
  // The HTML is parsed in a template, whose content is inert: nothing is loaded, run or reported as a policy violation.
  const template = document.createElement('template');
  template.innerHTML = html;
  const { content } = template;
  for (const element of content.querySelectorAll(FORBIDDEN_ELEMENTS)) element.remove();
  for (const element of content.querySelectorAll('*')) removeEventHandlers(element);

  const before = host.shadowRoot;
  const root = before ?? host.attachShadow({ mode: 'open' });
  const ownSheets = before
    ? [createStyleSheet(defaults), createStyleSheet(COLLAPSED_STYLE)]
    : [createStyleSheet(defaults)];
  root.adoptedStyleSheets = [...ownSheets, ...extractStyles(content)];
  root.replaceChildren(content);
  return root;
}

function removeEventHandlers(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    const runsScript = name.startsWith('on') || /^\s*(?:javascript|vbscript):/i.test(value);
    const hides = name.endsWith('href') && /^\s*data:/i.test(value);
    if (runsScript || hides || name === 'style') element.removeAttribute(name);
  }
}

/** Converts style elements, which the content security policy blocks, to constructed style sheets, which it allows. */
function extractStyles(page: DocumentFragment): CSSStyleSheet[] {
  return [...page.querySelectorAll('style')].map((element) => {
    element.remove();
    return createStyleSheet(element.textContent);
  });
}

function createStyleSheet(rules: string): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(rules);
  return made;
}
