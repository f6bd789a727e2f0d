/** Navigates by a full page load, so that the next page is requested with the new cookies. */
export function loadPage(address: string): void {
  location.assign(address);
}

/** Reloads the page. The new page refers to the files of the current release. */
export function reload(): void {
  location.reload();
}
