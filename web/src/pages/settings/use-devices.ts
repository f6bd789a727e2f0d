import { useCallback } from 'react';
import { type Device, fetchDevices } from '../../api/devices';
import { type Loaded, useLoaded } from '../../hooks/use-loaded';
import { useSessionEnd } from '../../hooks/use-session-end';

export interface Devices {
  state: Loaded<readonly Device[]>;
  reloading: boolean;
  reload: () => void;
  /** Removes a signed-out device from the list. */
  remove: (id: string) => void;
}

/** Loads the signed-in devices, the current one first. */
export function useDevices(): Devices {
  const { state, reloading, reload, update } = useLoaded(loadDevices, {
    onFailure: useSessionEnd(),
  });
  const remove = useCallback(
    (id: string) => update((devices) => devices.filter((device) => device.id !== id)),
    [update],
  );
  return { state, reloading, reload, remove };
}

async function loadDevices(): Promise<readonly Device[]> {
  const devices = await fetchDevices();
  return [...devices].sort((one, other) => Number(other.current) - Number(one.current));
}
