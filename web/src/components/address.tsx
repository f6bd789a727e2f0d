import { Fragment } from 'react';

/** An e-mail address that breaks, where it must, before the @ or a dot of its domain. */
export function Address({ children }: { children: string }) {
  const at = children.lastIndexOf('@');
  const [host = '', ...domains] = children.slice(at).split(/(?=\.)/);
  return (
    <span>
      {children.slice(0, Math.max(at, 0))}
      <wbr />
      {host}
      {domains.map((domain, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of an address never change places
        <Fragment key={index}>
          <wbr />
          {domain}
        </Fragment>
      ))}
    </span>
  );
}
