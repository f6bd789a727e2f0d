import { useRef, useState } from 'react';
import { fetchPasskeys, type Passkey, type Passkeys } from '../../api/passkey-list';
import { removePasskey } from '../../api/passkeys';
import { Button } from '../../components/button';
import { EntryList } from '../../components/entry-list';
import { WhenLoaded } from '../../components/load-failure';
import { Status } from '../../components/notice';
import { Section } from '../../components/section';
import { hasPasskeys } from '../../features/passkeys/browser';
import { postponeOffer } from '../../features/passkeys/postponed-offer';
import { useClientValue } from '../../hooks/use-client-value';
import { useLoaded } from '../../hooks/use-loaded';
import { useSessionEnd } from '../../hooks/use-session-end';
import { useTranslation } from '../../i18n/use-translation';
import { PasskeyEntry } from './passkey-entry';
import { usePasskeyChange } from './use-passkey-change';

/** Tells the passkey provider which passkeys are valid. A failure is ignored. */
const signalToBrowser = (signal: Passkeys['signal']) =>
  import('../../features/passkeys/webauthn').then(
    ({ signalPasskeys }) => signalPasskeys(signal),
    () => undefined,
  );

/** The last completed action, which selects the success message. */
type CompletedAction = 'added' | 'removed';

interface PasskeysSectionProps {
  /** Called with the number of passkeys when it has changed. */
  onCount: (count: number) => void;
}

export function PasskeysSection({ onCount }: PasskeysSectionProps) {
  const { t } = useTranslation();
  const heading = useRef<HTMLHeadingElement>(null);
  const loaded = useLoaded<Passkeys>(fetchPasskeys, {
    onFailure: useSessionEnd(),
    onLoaded: ({ signal }) => void signalToBrowser(signal),
  });
  const { run, dialog, busy, message, send, forget, add } = usePasskeyChange();
  const [completedAction, setCompletedAction] = useState<CompletedAction | null>(null);
  // The id of the passkey whose removal is in progress or was completed last.
  const [removedId, setRemovedId] = useState<string | null>(null);
  const supported = useClientValue(hasPasskeys, true);

  const update = (change: (passkeys: Passkey[]) => Passkey[]) =>
    loaded.update((data) => ({ ...data, passkeys: change(data.passkeys) }));

  function finish(what: CompletedAction, change: (list: Passkey[]) => Passkey[]) {
    update(change);
    if (loaded.state.kind === 'loaded') onCount(change(loaded.state.data.passkeys).length);
    setCompletedAction(what);
    heading.current?.focus();
  }

  function startAdding() {
    setCompletedAction(null);
    setRemovedId(null);
    add((added) => finish('added', (passkeys) => [...passkeys, added]));
  }

  function remove(passkey: Passkey) {
    setCompletedAction(null);
    forget();
    setRemovedId(passkey.id);
    send(
      () => run(() => removePasskey(passkey.id)),
      ({ signal }) => {
        void signalToBrowser(signal);
        postponeOffer();
        finish('removed', (passkeys) => passkeys.filter(({ id }) => id !== passkey.id));
      },
    );
  }

  const rename = (renamed: Passkey) =>
    update((passkeys) => passkeys.map((one) => (one.id === renamed.id ? renamed : one)));

  return (
    <Section heading={heading} lead={t('security.passkeys_lead')} title={t('security.passkeys')}>
      {completedAction ? (
        <Status>
          {t(completedAction === 'added' ? 'security.passkey_added' : 'security.passkey_removed')}
        </Status>
      ) : null}
      {message}
      <WhenLoaded
        {...loaded}
        failed={t('security.passkeys_load_failed')}
        loading={t('security.passkeys_loading')}
      >
        {({ passkeys }) => (
          <>
            {passkeys.length === 0 ? (
              <p>{t('security.passkeys_empty')}</p>
            ) : (
              <EntryList>
                {passkeys.map((passkey) => (
                  <PasskeyEntry
                    busy={busy}
                    key={passkey.id}
                    onRemove={() => remove(passkey)}
                    onRenamed={rename}
                    passkey={passkey}
                    removing={busy && removedId === passkey.id}
                  />
                ))}
              </EntryList>
            )}
            {supported ? (
              <Button
                busy={busy && removedId === null && t('security.passkey_busy')}
                disabled={busy}
                variant="primary"
                onClick={startAdding}
              >
                {t('security.passkey_add')}
              </Button>
            ) : (
              <p>{t('security.passkeys_unsupported')}</p>
            )}
          </>
        )}
      </WhenLoaded>
      {dialog}
    </Section>
  );
}
