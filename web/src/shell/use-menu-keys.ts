import type { KeyboardEvent, RefObject } from 'react';

/** Returns the key handler of an open menu: arrow keys, Home, End, first letters, Escape, and Tab, which leaves it. */
export function useMenuKeys(
  menu: RefObject<HTMLElement | null>,
  close: () => void,
): (event: KeyboardEvent) => void {
  return (event) => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const target = targetOf(event.key, items, at);
    if (event.key === 'Escape') close();
    else if (target) target.focus();
    else return;
    event.preventDefault();
  };
}

function targetOf(key: string, items: HTMLElement[], at: number): HTMLElement | undefined {
  switch (key) {
    case 'ArrowDown':
      return items[(at + 1) % items.length];
    case 'ArrowUp':
      return items.at(at <= 0 ? -1 : at - 1);
    case 'Home':
      return items[0];
    case 'End':
      return items.at(-1);
    default:
      return startingWith(key, items, at);
  }
}

function startingWith(key: string, items: HTMLElement[], at: number): HTMLElement | undefined {
  if (!/^\p{L}$/u.test(key)) return undefined;
  const fromHere = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return fromHere.find((item) => item.textContent.toLowerCase().startsWith(key.toLowerCase()));
}
