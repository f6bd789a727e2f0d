import defaults from './fragment-inside.css?inline';

// What could load, run or send something by itself. The server has sanitised the text already and
// the content policy stops the rest: this is the third lock on the same door.
const UNWANTED = 'script, iframe, object, embed, base, meta, form, link';

/** Puts foreign HTML into the shadow root of `host` and returns that root. No script of it ever runs. */
export function fillShadow(host: HTMLElement, html: string): ShadowRoot {
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const element of page.querySelectorAll(UNWANTED)) element.remove();
  for (const element of page.querySelectorAll('*')) dropHandlers(element);

  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [sheet(defaults), ...takeStyles(page)];
  root.replaceChildren(...page.body.childNodes);
  return root;
}

function dropHandlers(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    const runs = name.startsWith('on') || /^\s*(?:javascript|vbscript):/i.test(value);
    const hides = name.endsWith('href') && /^\s*data:/i.test(value);
    if (runs || hides) element.removeAttribute(name);
  }
}

/** The content policy forbids style elements; as constructed sheets their rules are welcome. */
function takeStyles(page: Document): CSSStyleSheet[] {
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
