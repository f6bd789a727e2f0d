/**
 * Parses a query string. A `+` means a plus and not a space, because links that other programs make contain email
 * addresses with an unescaped plus (`lee+tag@example.org`).
 */
export const readQuery = (search: string): URLSearchParams =>
  new URLSearchParams(search.replaceAll('+', '%2B'));
