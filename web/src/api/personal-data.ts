import { type DownloadedFile, getFile, put } from './client';

export const chooseNewsletter = (consent: boolean) => put('/marketing-consent', { consent });

/** Downloads all data of the account as a ZIP. */
export const exportData = (): Promise<DownloadedFile> => getFile('/data-export');
