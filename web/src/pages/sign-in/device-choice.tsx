import { type DeviceLimitRefusal, isRefusal } from '../../api/client';
import { signOutToFreeSlot } from '../../api/devices';
import { DeviceEntry } from '../../components/device-list';
import { EntryList } from '../../components/entry-list';
import { Failure } from '../../components/failure';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import styles from './sign-in.module.css';

type ListedDevice = DeviceLimitRefusal['devices'][number];

interface DeviceChoiceProps extends DeviceLimitRefusal {
  /** Called when a device was signed out, so that the sign-in can be repeated. */
  onSlotFreed: (device: ListedDevice) => void;
  /** Called if the device token has expired. */
  onExpired: () => void;
}

/** The list of devices that is shown at the device limit. The sign-in is possible after one device is signed out. */
export function DeviceChoice({ devices, device_token, onSlotFreed, onExpired }: DeviceChoiceProps) {
  const { t } = useTranslation();
  return (
    <section className={styles.part}>
      <div>
        <h2>{t('sign_in.devices_title')}</h2>
        <p>{t('sign_in.devices_lead')}</p>
      </div>
      <EntryList>
        {devices.map((device) => (
          <DeviceOption
            device={device}
            key={device.id}
            onExpired={onExpired}
            onSlotFreed={() => onSlotFreed(device)}
            token={device_token}
          />
        ))}
      </EntryList>
    </section>
  );
}

interface DeviceOptionProps {
  device: ListedDevice;
  token: string;
  onSlotFreed: () => void;
  onExpired: () => void;
}

function DeviceOption({ device, token, onSlotFreed, onExpired }: DeviceOptionProps) {
  const { t } = useTranslation();
  const { busy, failure, send } = useRequest((reason) => {
    const expired = isRefusal(reason, 'invalid_token');
    if (expired) onExpired();
    return expired;
  });

  return (
    <DeviceEntry
      busy={busy}
      device={device}
      onSignOut={() => send(() => signOutToFreeSlot(device.id, token), onSlotFreed)}
    >
      <Failure fallback={t('devices.failed')} reason={failure} />
    </DeviceEntry>
  );
}
