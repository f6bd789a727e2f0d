import defaults from './fragment-inside.css?inline';

// What could load, run or send something by itself. The server has sanitised the text already and
// the content policy stops the rest: this is the third lock on the same door.
const UNWANTED = 'script, iframe, object, embed, base, meta, form, link, template';

// Where a part was before there is no room to be kept any more (fragment.module.css).
const NO_ROOM = ':host { --room: 0px }';

/** Puts foreign HTML into the shadow root of `host` and returns that root. No script of it ever runs. */
export function fillShadow(host: HTMLElement, html: string): ShadowRoot {
  // In a template nothing is loaded, run or held against the content policy.
  const template = document.createElement('template');
  template.innerHTML = html;
  const { content } = template;
  for (const element of content.querySelectorAll(UNWANTED)) element.remove();
  for (const element of content.querySelectorAll('*')) dropHandlers(element);

  const before = host.shadowRoot;
  const root = before ?? host.attachShadow({ mode: 'open' });
  const house = before ? [sheet(defaults), sheet(NO_ROOM)] : [sheet(defaults)];
  root.adoptedStyleSheets = [...house, ...takeStyles(content)];
  root.replaceChildren(content);
  return root;
}

function dropHandlers(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    const runs = name.startsWith('on') || /^\s*(?:javascript|vbscript):/i.test(value);
    const hides = name.endsWith('href') && /^\s*data:/i.test(value);
    if (runs || hides || name === 'style') element.removeAttribute(name);
  }
}

/** The content policy forbids style elements; as constructed sheets their rules are welcome. */
function takeStyles(page: DocumentFragment): CSSStyleSheet[] {
  return [...page.querySelectorAll('style')].map((element) => {
    element.remove();
    return sheet(element.textContent);
  });
}

function sheet(rules: string): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(rules);
  return made;
}
