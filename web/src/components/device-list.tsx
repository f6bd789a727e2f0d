import { type ReactNode, useId } from 'react';
import type { Device } from '../api/devices';
import { useTranslation } from '../i18n/use-translation';
import { useTimeFormat } from '../use-time-format';
import { Button } from './button';
import styles from './device-list.module.css';

export function DeviceList({ children }: { children: ReactNode }) {
  return <ul className={styles.list}>{children}</ul>;
}

interface DeviceEntryProps {
  device: Omit<Device, 'current'> & { current?: boolean };
  busy: boolean;
  onSignOut: () => void;
  /** The error message of this device. */
  children?: ReactNode;
}

/** A signed-in device: its name, its last use and a button to sign it out. */
export function DeviceEntry({ device, busy, onSignOut, children }: DeviceEntryProps) {
  const { t } = useTranslation();
  const { formatDateTime, formatTimeAgo } = useTimeFormat();
  const name = useId();
  const { first_seen_at, last_used_at, current } = device;

  return (
    <li className={styles.device}>
      <div className={styles.about}>
        <p className={styles.name} id={name}>
          <strong>{device.name}</strong>{' '}
          {current ? <span className={styles.current}>{t('devices.current')}</span> : null}
        </p>
        <p className={styles.used}>
          {t('devices.last_used', { ago: formatTimeAgo(last_used_at, Date.now()) })}
          {' · '}
          <time dateTime={new Date(last_used_at).toISOString()}>
            {formatDateTime(last_used_at)}
          </time>
        </p>
        <p className={styles.used}>
          {t('devices.first_seen', { date: formatDateTime(first_seen_at) })}
        </p>
      </div>
      <Button busy={busy && t('devices.busy')} describedBy={name} look="quiet" onClick={onSignOut}>
        {t('devices.sign_out')}
      </Button>
      {children}
    </li>
  );
}
