import { useRef, useState } from 'react';
import { type Device, fetchDevices, signOutDevice, signOutEverywhere } from '../../api/devices';
import { ConfirmedButton } from '../../components/confirmation';
import { DeviceEntry } from '../../components/device-entry';
import { EntryList } from '../../components/entry-list';
import { Failure } from '../../components/failure';
import { WhenLoaded } from '../../components/load-failure';
import { Status } from '../../components/notice';
import { Section } from '../../components/section';
import { useRequest } from '../../forms/use-request';
import type { useLoaded } from '../../hooks/use-loaded';
import { useSessionEnd } from '../../hooks/use-session-end';
import { useTranslation } from '../../i18n/use-translation';

/** Loads the signed-in devices. The current device is first. */
export async function loadDevices(): Promise<readonly Device[]> {
  const devices = await fetchDevices();
  return [...devices].sort((one, other) => Number(other.current) - Number(one.current));
}

interface DevicesSectionProps {
  devices: ReturnType<typeof useLoaded<readonly Device[]>>;
  /** Called when the server has ended all sessions, including the current session. */
  onSignedOut: () => void;
}

export function DevicesSection({ devices, onSignedOut }: DevicesSectionProps) {
  const { t } = useTranslation();
  const [isRemoved, setIsRemoved] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);

  function handleGone(gone: Device) {
    devices.update((before) => before.filter(({ id }) => id !== gone.id));
    setIsRemoved(true);
    // The focus moves to the heading, because the focused button was removed with the entry of its device.
    heading.current?.focus();
  }

  return (
    <Section heading={heading} lead={t('devices.lead')} title={t('devices.title')}>
      {isRemoved ? <Status>{t('answer.device_signed_out')}</Status> : null}
      <WhenLoaded {...devices} failed={t('devices.load_failed')} loading={t('devices.loading')}>
        {(list) =>
          list.length === 0 ? (
            <p>{t('devices.empty')}</p>
          ) : (
            <>
              <EntryList>
                {list.map((device) => (
                  <DeviceWithSignOut device={device} key={device.id} onGone={handleGone} />
                ))}
              </EntryList>
              <SignOutEverywhere onDone={onSignedOut} />
            </>
          )
        }
      </WhenLoaded>
    </Section>
  );
}

interface DeviceWithSignOutProps {
  device: Device;
  onGone: (device: Device) => void;
}

function DeviceWithSignOut({ device, onGone }: DeviceWithSignOutProps) {
  const { t } = useTranslation();
  const { busy, failure, send } = useRequest(useSessionEnd());
  const signOut = () =>
    send(
      () => signOutDevice(device.id),
      () => onGone(device),
    );

  return (
    <DeviceEntry busy={busy} device={device} onSignOut={device.current ? undefined : signOut}>
      <Failure fallback={t('devices.failed')} reason={failure} />
    </DeviceEntry>
  );
}

function SignOutEverywhere({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const { busy, failure, send } = useRequest(useSessionEnd());

  return (
    <>
      <Failure fallback={t('devices.failed_all')} reason={failure} />
      <ConfirmedButton
        busy={busy && t('devices.busy')}
        confirmLabel={t('devices.confirm_yes')}
        onConfirm={() => send(signOutEverywhere, onDone)}
        text={t('devices.confirm_text')}
        title={t('devices.confirm_title')}
        variant="danger"
      >
        {t('devices.sign_out_all')}
      </ConfirmedButton>
    </>
  );
}
