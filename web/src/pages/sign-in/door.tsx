/** A drawing of a house, whose door opens when the sign-in is approved. */
export function Door({ isOpen }: { isOpen: boolean }) {
  const scale = isOpen ? '0.2 1' : '1 1';
  return (
    <svg aria-hidden="true" height="84" viewBox="0 0 120 84" width="100%">
      <path d="M60 4 8 40h10v44h84V40h10z" fill="var(--hill-far)" />
      <path d="M46 34h28v50H46z" fill="var(--ink)" />
      <path
        className="lit"
        d="M46 34h28v50H46z"
        style={{ scale, transformBox: 'fill-box', transition: 'scale var(--slow)' }}
      />
      <path className="lit" d="M26 48h12v12H26zM82 48h12v12H82z" />
    </svg>
  );
}
