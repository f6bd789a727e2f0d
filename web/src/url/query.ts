/**
 * Reads the parameters in the URL of a screen. A `+` means a plus and not a space, because links that other programs
 * write contain unescaped email addresses (`lee+tag@example.org`).
 */
export const readQuery = (search: string): URLSearchParams =>
  new URLSearchParams(search.replaceAll('+', '%2B'));
