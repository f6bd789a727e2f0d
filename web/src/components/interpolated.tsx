import { Fragment, type ReactNode } from 'react';

/**
 * A sentence with elements in it. The translation contains `{name}` as placeholder of an element, so that no
 * translation contains markup.
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
