import { useRef, useState } from 'react';
import { fetchPasskeys, type Passkey, type Passkeys } from '../../api/passkey-list';
import { removePasskey } from '../../api/passkeys';
import { Button } from '../../components/button';
import { EntryList } from '../../components/entry-list';
import { LoadFailure } from '../../components/load-failure';
import { LoadingIndicator } from '../../components/loading-indicator';
import { Alert, Status } from '../../components/notice';
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
  const { state, reloading, reload, update } = useLoaded<Passkeys>(fetchPasskeys, {
    onFailure: useSessionEnd(),
    onLoaded: ({ signal }) => void signalToBrowser(signal),
  });
  const { run, dialog, busy, message, send, forget, add } = usePasskeyChange();
  const [completedAction, setCompletedAction] = useState<CompletedAction | null>(null);
  // The id of the passkey whose removal is in progress or was completed last.
  const [removedId, setRemovedId] = useState<string | null>(null);
  const supported = useClientValue(hasPasskeys, true);
  const list = state.kind === 'loaded' ? state.data.passkeys : null;

  function finish(what: CompletedAction, change: (list: Passkey[]) => Passkey[]) {
    update((data) => ({ ...data, passkeys: change(data.passkeys) }));
    onCount(change(list ?? []).length);
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
    update((data) => ({
      ...data,
      passkeys: data.passkeys.map((one) => (one.id === renamed.id ? renamed : one)),
    }));

  return (
    <Section heading={heading} lead={t('security.passkeys_lead')} title={t('security.passkeys')}>
      {completedAction ? (
        <Status>
          {t(completedAction === 'added' ? 'security.passkey_added' : 'security.passkey_removed')}
        </Status>
      ) : null}
      {message}
      {state.kind === 'loading' ? (
        <LoadingIndicator>{t('security.passkeys_loading')}</LoadingIndicator>
      ) : null}
      {state.kind === 'failed' ? (
        <LoadFailure reloading={reloading} onReload={reload}>
          <Alert>{t('security.passkeys_load_failed')}</Alert>
        </LoadFailure>
      ) : null}
      {list?.length === 0 ? <p>{t('security.passkeys_empty')}</p> : null}
      {list?.length ? (
        <EntryList>
          {list.map((passkey) => (
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
      ) : null}
      {list && supported ? (
        <Button
          busy={busy && removedId === null && t('security.passkey_busy')}
          disabled={busy}
          variant="primary"
          onClick={startAdding}
        >
          {t('security.passkey_add')}
        </Button>
      ) : null}
      {list && !supported ? <p>{t('security.passkeys_unsupported')}</p> : null}
      {dialog}
    </Section>
  );
}
