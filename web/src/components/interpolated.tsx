import { Fragment, type ReactNode } from 'react';

/**
 * A sentence with elements in it. Its words come from the translation with `{name}` where an element
 * goes, so that no translation ever holds markup.
 */
export function Interpolated({
  text,
  parts,
}: {
  text: string;
  parts: Readonly<Record<string, ReactNode>>;
}) {
  const pieces = text.split(/(\{\w+\})/);
  return pieces.map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence never change places
    <Fragment key={index}>
      {index % 2 === 0 ? piece : (parts[piece.slice(1, -1)] ?? piece)}
    </Fragment>
  ));
}
