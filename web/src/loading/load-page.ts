/** Navigates by a page load, so that the browser requests the page with its current cookies. */
export function loadPage(address: string): void {
  location.assign(address);
}

/** Reloads the page, for example to get the scripts of the current release. */
export function reload(): void {
  location.reload();
}
