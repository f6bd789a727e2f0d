import type { ReactNode } from 'react';

/**
 * Renders a translated sentence with a React element in place of each `{name}`, so that translations need no markup.
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
    <span key={index}>{index % 2 === 0 ? piece : (parts[piece.slice(1, -1)] ?? piece)}</span>
  ));
}
