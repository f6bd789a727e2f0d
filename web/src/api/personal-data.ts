import { type DownloadedFile, get, getFile, put } from './client';

export const chooseNewsletter = (consent: boolean) => put('/marketing-consent', { consent });

/** Downloads all data of the account as a ZIP file. */
export const exportData = (): Promise<DownloadedFile> => getFile('/data-export');

/** Returns the personal data that the user has entered. */
export const fetchProfile = () => get('/profile');
export type Profile = Awaited<ReturnType<typeof fetchProfile>>;
