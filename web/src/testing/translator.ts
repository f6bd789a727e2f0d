/**
 * Does to the document what the page translators of browsers do: replaces each text node by
 * `<font><font>text</font></font>`, and later each new text node. Throws if a script then changes a text node that is no
 * longer in the document, because nobody sees that text. The browser tests run this function in their pages.
 */
export function translateDocument(): void {
  const isText = (node: Node) => node.parentElement?.closest('body') && node.textContent;
  const isSkipped = (node: Node) => node.parentElement?.closest('script, style, textarea, font');

  function translate(node: Text) {
    if (!isText(node) || isSkipped(node)) return;
    const outer = document.createElement('font');
    const inner = document.createElement('font');
    inner.textContent = node.data;
    outer.append(inner);
    node.replaceWith(outer);
    replaced.observe(node, { characterData: true });
  }

  function translateAll(root: Node) {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found: Text[] = [];
    if (root instanceof Text) found.push(root);
    while (texts.nextNode()) found.push(texts.currentNode as Text);
    for (const text of found) translate(text);
  }

  const replaced = new MutationObserver(([change]) => {
    throw new Error(`translator: nobody sees the text "${change?.target.textContent}"`);
  });
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) translateAll(node);
    }
  }).observe(document, { childList: true, subtree: true });
}
