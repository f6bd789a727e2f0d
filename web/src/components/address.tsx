import { Fragment } from 'react';

/** An e-mail address that breaks, where it must, before the @ or a dot. */
export function Address({ children }: { children: string }) {
  const parts = children.split(/(?=[@.])/);
  return (
    <span>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of an address never change places
        <Fragment key={index}>
          <wbr />
          {part}
        </Fragment>
      ))}
    </span>
  );
}
