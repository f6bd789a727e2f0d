import { useCallback, useEffect, useState } from 'react';
import { type Device, fetchDevices } from '../../api/devices';
import { report } from '../../api/message';
import { useSessionEnd } from '../../use-session-end';

/** Loads the signed-in devices. A new `reloadKey` or `retry` loads them again. */
export function useDevices(reloadKey: number) {
  const sessionEnded = useSessionEnd();
  const [devices, setDevices] = useState<readonly Device[] | null>(null);
  const [failed, setFailed] = useState(false);
  const [retries, setRetries] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: reloadKey and retries load again
  useEffect(() => {
    let current = true;
    setFailed(false);
    fetchDevices().then(
      (found) => current && setDevices(currentFirst(found)),
      (failure: unknown) => {
        if (!current || sessionEnded(failure)) return;
        report(failure);
        setDevices(null);
        setFailed(true);
      },
    );
    return () => {
      current = false;
    };
  }, [reloadKey, retries, sessionEnded]);

  const remove = useCallback((id: string) => {
    setDevices((before) => before?.filter((device) => device.id !== id) ?? null);
  }, []);

  return { devices, failed, remove, retry: () => setRetries((key) => key + 1) };
}

function currentFirst(devices: readonly Device[]): readonly Device[] {
  return [...devices].sort((one, other) => Number(other.current) - Number(one.current));
}
