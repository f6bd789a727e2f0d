const SHAPES = {
  clear: 'M6 6l12 12M18 6 6 18',
  show: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6z',
  hide: 'M4 4l16 16M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z',
  down: 'M6 9.5l6 6 6-6',
  tick: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M7 7l10 10M17 7 7 17',
  offline:
    'M3 3l18 18M8.5 8.6A5.5 5.5 0 0 0 7 19h10.5M20.4 16.4A4.5 4.5 0 0 0 17.5 10a6 6 0 0 0-7.5-4.1',
  info: 'M12 11v6M12 7v.01M12 3a9 9 0 1 0 .01 0z',
  warn: 'M12 8v5M12 16.5v.01M10.3 4.2 2.9 17a2 2 0 0 0 1.7 3h14.8a2 2 0 0 0 1.7-3L13.7 4.2a2 2 0 0 0-3.4 0z',
} as const;

/** A decorative icon of 24 × 24 units in the text colour. */
export function Icon({ shape }: { shape: keyof typeof SHAPES }) {
  return (
    <svg
      aria-hidden="true"
      fill="none"
      height="1.25em"
      stroke="currentColor"
      strokeLinecap="round"
      strokeLinejoin="round"
      strokeWidth="2"
      viewBox="0 0 24 24"
      width="1.25em"
    >
      <path d={SHAPES[shape]} />
    </svg>
  );
}
