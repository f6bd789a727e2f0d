import { Fragment, type ReactNode } from 'react';

/**
 * A translated sentence that contains React elements. The translation has a `{name}` placeholder for each element, so
 * that no translation contains markup.
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
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence never change their order
    <Fragment key={index}>
      {index % 2 === 0 ? piece : (parts[piece.slice(1, -1)] ?? piece)}
    </Fragment>
  ));
}
