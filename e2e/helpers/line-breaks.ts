import type { Page } from '@playwright/test';

/** Returns the parts of a text on the page that begin a new line. Empty if the text fits into one line. */
export async function lineBreaksOf(page: Page, text: string): Promise<string[]> {
  return page.getByRole('main').evaluate((main, text) => {
    const letters: { node: Node; at: number }[] = [];
    const nodes = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      for (let at = 0; at < (node.nodeValue ?? '').length; at++) letters.push({ node, at });
    }
    const start = (main.textContent ?? '').indexOf(text);
    if (start < 0) throw new Error(`"${text}" is not on the page`);
    const tops = letters.slice(start, start + text.length).map(({ node, at }) => {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      return Math.round(range.getBoundingClientRect().top);
    });
    const starts = tops.flatMap((top, index) =>
      index > 0 && top !== tops[index - 1] ? [index] : [],
    );
    return starts.map((index, line) => text.slice(index, starts[line + 1]));
  }, text);
}
