import type { State, Step } from './state.ts';

/** Runs the steps of a gallery state. Resolves when the element of the selector `shows` is present. */
export async function runSteps({ steps = [], shows = 'h1' }: State): Promise<void> {
  for (const step of steps) await take(step);
  await present(shows);
}

async function take(step: Step): Promise<void> {
  if ('wait' in step) {
    await present(step.wait);
  } else if ('press' in step) {
    const button = await present(step.press);
    button.focus();
    button.click();
  } else {
    for (const [name, value] of Object.entries(step.fill)) await fill(name, value);
  }
}

/** Sets the value of a field and dispatches the event that React listens for. */
async function fill(name: string, value: string): Promise<void> {
  const field = await present(`[name="${name}"]`);
  const kind = field instanceof HTMLSelectElement ? HTMLSelectElement : HTMLInputElement;
  field.focus();
  Object.getOwnPropertyDescriptor(kind.prototype, 'value')?.set?.call(field, value);
  field.dispatchEvent(
    new Event(kind === HTMLSelectElement ? 'change' : 'input', { bubbles: true }),
  );
  await frame();
}

/** Resolves with the element of a selector when the element is present and enabled. */
async function present(selector: string): Promise<HTMLElement> {
  for (;;) {
    const found = [...document.querySelectorAll<HTMLElement>(selector)];
    // The page has two language menus, one of which is shown.
    const element = found.length > 1 ? found.find((one) => one.checkVisibility()) : found[0];
    if (element && !element.closest('[inert], input[aria-busy="true"]')) return element;
    await frame();
  }
}

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
