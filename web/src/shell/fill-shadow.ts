import defaults from './fragment-inside.css?inline';

// Elements that load, run or send something are removed for defence in depth. The server also sanitises the HTML, and
// the content security policy blocks such elements.
const FORBIDDEN_ELEMENTS = 'script, iframe, object, embed, base, meta, form, link, template';

// The attribute removes the reserved height of a filled fragment (fragment.module.css).
const COLLAPSED_STYLE = ':host { --room: 0px }';

/** Puts third-party HTML into the shadow root of `host` and returns the root. Scripts in the HTML never run. */
export function fillShadow(host: HTMLElement, html: string): ShadowRoot {
  // The content of a template is inert, so nothing is loaded or run, and no policy violation is reported.
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
    const runs = name.startsWith('on') || /^\s*(?:javascript|vbscript):/i.test(value);
    const hides = name.endsWith('href') && /^\s*data:/i.test(value);
    if (runs || hides || name === 'style') element.removeAttribute(name);
  }
}

/** The content security policy forbids style elements, but allows constructed style sheets. */
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
