import { del, get } from './client';
import type { components } from './schema';

export type ConnectedApp = components['schemas']['ConnectedApp'];

export const fetchConnectedApps = async (): Promise<readonly ConnectedApp[]> =>
  (await get('/connected-apps')).apps;

export const signOutOfApp = (id: string) => del('/connected-apps/{client_id}', { client_id: id });
