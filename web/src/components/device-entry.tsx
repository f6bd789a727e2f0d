import type { Device } from '../api/devices';
import { useTimeFormat } from '../hooks/use-time-format';
import { useTranslation } from '../i18n/use-translation';
import { Button } from './button';
import type { Elements } from './elements';
import { Entry } from './entry-list';

/** A device is shown as active until this number of milliseconds after its last request. */
const ACTIVE_MS = 5 * 60_000;

interface DeviceEntryProps {
  device: Omit<Device, 'current'> & { current?: boolean };
  busy: boolean;
  /** Signs the device out. Without `onSignOut` the entry has no sign-out button, as for the current device. */
  onSignOut?: (() => void) | undefined;
  /** The error message if the sign-out of this device has failed. */
  children?: Elements;
}

/** A signed-in device: its name, its last use and a button to sign it out. */
export function DeviceEntry({ device, busy, onSignOut, children }: DeviceEntryProps) {
  const { t } = useTranslation();
  const { formatDateTime, formatTimeAgo } = useTimeFormat();
  const { first_seen_at, last_used_at, current } = device;
  const usedAt = Date.parse(last_used_at);
  const now = Date.now();
  const lastUse = (
    <time dateTime={last_used_at} title={formatDateTime(usedAt)}>
      {now - usedAt < ACTIVE_MS
        ? t('devices.active_now')
        : t('devices.last_used', { ago: formatTimeAgo(usedAt, now) })}
    </time>
  );
  const seen = t('devices.first_seen', { date: formatDateTime(Date.parse(first_seen_at)) });

  return (
    <Entry
      actions={
        onSignOut &&
        (() => (
          <Button
            busy={busy && t('devices.busy')}
            label={t('devices.sign_out_device', { device: device.name })}
            variant="quiet"
            onClick={onSignOut}
          >
            {t('devices.sign_out')}
          </Button>
        ))
      }
      badge={current ? t('devices.current') : null}
      lines={[lastUse, seen]}
      title={device.name}
    >
      {children}
    </Entry>
  );
}
