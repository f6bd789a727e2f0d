import type { DownloadedFile } from '../api/client';

/** Saves a file by a click on a temporary link with the attribute `download`. */
export function saveFile({ name, content }: DownloadedFile): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The URL is revoked later, because Safari reads the content only after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
