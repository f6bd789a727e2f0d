// Reads a Markdown document line by line: the kind of each line, and the inline code of the prose.

const FENCE = /^\s*(```|~~~)/;
const LIST_ITEM = /^\s*([-*]|\d+\.)\s/;

/** Each line as `{ number, text, kind }`, where `kind` is `prose`, `table`, `code` or `blank`. */
export function lines(document) {
  let isFenced = false;
  let isInList = false;
  let previous = 'blank';
  return document.split('\n').map((text, index) => {
    const isFence = FENCE.test(text);
    if (isFence) isFenced = !isFenced;
    if (LIST_ITEM.test(text)) isInList = true;
    else if (/^\S/.test(text) && previous === 'blank') isInList = false;
    const kind = isFence || isFenced ? 'code' : kindOf(text, previous, isInList);
    previous = kind;
    return { number: index + 1, text, kind };
  });
}

function kindOf(text, previous, isInList) {
  if (!text.trim()) return 'blank';
  // Four spaces after a blank line begin a code block; inside a list item they continue the item.
  if (/^ {4}/.test(text) && !isInList && previous !== 'prose') return 'code';
  return text.trimStart().startsWith('|') ? 'table' : 'prose';
}

/** Inline code as `{ number, text }`. It may wrap from one line of prose to the next, but not out of a table row. */
export function inlineCode(document) {
  const found = [];
  let block = [];
  const flush = () => {
    const text = block.map((line) => line.text).join('\n');
    for (const match of text.matchAll(/`([^`]+)`/g)) {
      const line = text.slice(0, match.index).split('\n').length - 1;
      found.push({ number: block[line].number, text: match[1].replace(/\s*\n\s*/g, ' ') });
    }
    block = [];
  };
  for (const line of lines(document)) {
    if (line.kind !== 'prose') flush();
    if (line.kind === 'prose' || line.kind === 'table') block.push(line);
    if (line.kind === 'table') flush();
  }
  flush();
  return found;
}
