import { type DownloadedFile, get, getFile, put } from './client';

export const chooseNewsletter = (consent: boolean) => put('/marketing-consent', { consent });

/** Downloads all data of the account as a ZIP. */
export const exportData = (): Promise<DownloadedFile> => getFile('/data-export');

/** Returns the details that the user has entered about themselves. */
export const fetchProfile = () => get('/profile');
export type Profile = Awaited<ReturnType<typeof fetchProfile>>;
