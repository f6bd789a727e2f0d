import { useLayoutEffect, useRef } from 'react';
import { type ApiFailure, isRefusal, type Refusal } from '../../api/client';
import { signOutToFreeSlot } from '../../api/devices';
import { errorMessageOf } from '../../api/message';
import { DeviceEntry } from '../../components/device-entry';
import { EntryList } from '../../components/entry-list';
import { Failure } from '../../components/failure';
import { Status } from '../../components/notice';
import { useRequest } from '../../forms/use-request';
import { useTranslation } from '../../i18n/use-translation';
import styles from './sign-in.module.css';

type DeviceLimitRefusal = Refusal<'too_many_devices'>;
type ListedDevice = DeviceLimitRefusal['devices'][number];

interface DeviceChoiceProps {
  /** The error `too_many_devices`, with the signed-in devices and a token that can sign one of them out. */
  failure: ApiFailure & { refusal: DeviceLimitRefusal };
  /** Called with the name of the device that the user has signed out, so that the sign-in can be repeated. */
  onSlotFreed: (device: string) => void;
  /** Called if the token has expired. */
  onExpired: () => void;
}

/**
 * Shown if too many devices are signed in: the user signs one of the listed devices out and can then sign in. The
 * message is no alert, because the password was correct.
 */
export function DeviceChoice({ failure, onSlotFreed, onExpired }: DeviceChoiceProps) {
  const { t } = useTranslation();
  const message = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => message.current?.focus(), []);
  const { devices = [], device_token } = failure.refusal;
  return (
    <>
      <div ref={message} tabIndex={-1}>
        <Status neutral>{errorMessageOf(failure, '')}</Status>
      </div>
      {devices.length > 0 ? (
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
                onSlotFreed={() => onSlotFreed(device.name)}
                token={device_token}
              />
            ))}
          </EntryList>
        </section>
      ) : null}
    </>
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
