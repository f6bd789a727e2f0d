import { useState } from 'react';
import type { Passkey } from '../../api/passkey-list';
import { renamePasskey } from '../../api/passkeys';
import { Button } from '../../components/button';
import { ConfirmedButton } from '../../components/confirmation';
import { Entry } from '../../components/entry-list';
import { Failure } from '../../components/failure';
import { TextField } from '../../components/text-field';
import { firstError } from '../../forms/field-errors';
import { useForm } from '../../forms/use-form';
import { useInlineFocus } from '../../forms/use-inline-focus';
import { useSessionEnd } from '../../hooks/use-session-end';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import { isName } from '../../validation/visible-text';

/** The maximum length of a passkey's name in characters, which the server enforces. */
const LONGEST_NAME = 60;

interface PasskeyEntryProps {
  passkey: Passkey;
  /** Whether a request that adds or removes any passkey is in progress. */
  busy: boolean;
  /** Whether the request that removes this passkey is in progress. */
  removing: boolean;
  onRenamed: (passkey: Passkey) => void;
  onRemove: () => void;
}

/** A passkey in the list: name, kind, last use, and the buttons that rename or remove it. */
export function PasskeyEntry(props: PasskeyEntryProps) {
  const { passkey, busy, removing, onRenamed, onRemove } = props;
  const { t } = useTranslation();
  const [isRenaming, setIsRenaming] = useState(false);
  const container = useInlineFocus<HTMLLIElement>(isRenaming);
  const { name } = passkey;

  return (
    <Entry
      actions={() => (
        <>
          <Button
            label={t('security.passkey_rename', { name })}
            variant="quiet"
            onClick={() => setIsRenaming(true)}
          >
            {t('security.rename')}
          </Button>
          <ConfirmedButton
            busy={removing && t('common.loading')}
            confirmLabel={t('security.remove')}
            disabled={busy}
            label={t('security.passkey_remove', { name })}
            onConfirm={onRemove}
            text={t('security.passkey_remove_text')}
            title={t('security.passkey_remove_title', { name })}
            variant="quiet"
          >
            {t('security.remove')}
          </ConfirmedButton>
        </>
      )}
      lines={useLines(passkey)}
      ref={container}
      title={name}
    >
      {isRenaming ? (
        <RenameForm
          onCancel={() => setIsRenaming(false)}
          onRenamed={(renamed) => {
            onRenamed(renamed);
            setIsRenaming(false);
          }}
          passkey={passkey}
        />
      ) : null}
    </Entry>
  );
}

function useLines({ synced, created_at, last_used_at, this_site, site }: Passkey): string[] {
  const { t } = useTranslation();
  const { formatDateTime, formatTimeAgo } = useTimeFormat();
  const lines = [
    t(synced ? 'security.passkey_synced' : 'security.passkey_bound'),
    last_used_at
      ? t('devices.last_used', { ago: formatTimeAgo(Date.parse(last_used_at), Date.now()) })
      : t('security.passkey_created', { date: formatDateTime(Date.parse(created_at)) }),
  ];
  return this_site ? lines : [t('security.passkey_elsewhere', { site }), ...lines];
}

interface RenameFormProps {
  passkey: Passkey;
  onRenamed: (passkey: Passkey) => void;
  onCancel: () => void;
}

function RenameForm({ passkey, onRenamed, onCancel }: RenameFormProps) {
  const { t } = useTranslation();
  const form = useForm({
    fields: { name: passkey.name },
    check: ({ name }) => firstError({ name: checkName(name) }),
    send: ({ name }) => renamePasskey(passkey.id, name.trim()),
    onDone: onRenamed,
    onFailure: useSessionEnd(),
  });

  return (
    <form {...form.props}>
      <Failure fallback={t('security.rename_failed')} reason={form.failure} />
      <TextField
        {...form.field('name')}
        autoComplete="off"
        enterKeyHint="done"
        label={t('security.name')}
      />
      <Button busy={form.busy && t('settings.saving')}>{t('security.save')}</Button>
      <Button disabled={form.busy} variant="secondary" onClick={onCancel}>
        {t('settings.cancel')}
      </Button>
    </form>
  );
}

function checkName(name: string): 'passkey_name' | null {
  return isName(name, LONGEST_NAME) ? null : 'passkey_name';
}
