import { Fragment } from 'react';

/** An email address in which a line can break before the @ or a dot. */
export function WrappingEmail({ children }: { children: string }) {
  const parts = children.split(/(?=[@.])/);
  return (
    <span>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of an address never change their order
        <Fragment key={index}>
          <wbr />
          <span>{part}</span>
        </Fragment>
      ))}
    </span>
  );
}
