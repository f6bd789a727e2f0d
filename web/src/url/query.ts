/**
 * The parameters in the URL of a screen. A `+` is a plus: links that other programs write contain addresses as they are
 * (`lee+tag@example.org`), and no parameter of the screens has a space that is written as `+`.
 */
export const readQuery = (search: string): URLSearchParams =>
  new URLSearchParams(search.replaceAll('+', '%2B'));
