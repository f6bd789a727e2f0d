import { type DownloadedFile, get, getFile, put } from './client';

/** Whether the user has agreed to the newsletter. */
export async function fetchNewsletterChoice(): Promise<boolean> {
  const { marketing_consent } = await get('/security');
  return marketing_consent;
}

export const chooseNewsletter = (consent: boolean): Promise<{ consent: boolean }> =>
  put('/marketing-consent', { consent });

/** All data of the account, as a ZIP. */
export const exportData = (): Promise<DownloadedFile> => getFile('/data-export');
