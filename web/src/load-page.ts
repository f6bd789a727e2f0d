/** Leaves the screens by a whole page load, so that whatever comes next sees the new cookies. */
export function loadPage(address: string): void {
  location.assign(address);
}

/** Loads the page again, with the files that the server names now. */
export function reload(): void {
  location.reload();
}
