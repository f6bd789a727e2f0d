import type { Ref } from 'react';
import { Button } from '../../components/button';
import type { Elements } from '../../components/elements';
import { Status } from '../../components/notice';
import { useInlineFocus } from '../../forms/use-inline-focus';
import { useTranslation } from '../../i18n/use-translation';
import styles from './settings.module.css';

/** The state of an entry's inline form, and the functions that open, close and save it. */
export interface Editing {
  open: boolean;
  /** Whether the success message is shown, because the form was just saved. */
  saved: boolean;
  /** Whether the form of any entry of the screen is being saved. */
  saving: boolean;
  /** Sends the request that saves the form. `saving` is true until the request ends. */
  save: <Result>(request: () => Promise<Result>) => Promise<Result>;
  onOpen: () => void;
  onCancel: () => void;
  onSaved: () => void;
}

interface SettingsEntryProps extends Editing {
  name: string;
  value: Elements;
  /** The accessible name of the button whose visible text is "Change". */
  change: string;
  /** The success message. */
  done: string;
  /** A `dd` below the value: a pending change, or why the form could not be opened. */
  notice?: Elements;
  /** The button that opens the form. */
  ref?: Ref<HTMLButtonElement>;
  /** The inline form. A closed form is unmounted, so that its typed text is lost. */
  children: Elements;
}

/** A property of the account with its value, and an inline form that changes it. */
export function SettingsEntry(props: SettingsEntryProps) {
  const { name, value, change, done, notice, open, saved, saving, onOpen, ref, children } = props;
  const { t } = useTranslation();
  const containerRef = useInlineFocus<HTMLDivElement>(open);

  return (
    <div className={styles.entry} ref={containerRef}>
      <dt>{name}</dt>
      <dd className={styles.value}>
        {value}
        {open ? null : (
          <Button disabled={saving} label={change} ref={ref} variant="secondary" onClick={onOpen}>
            {t('settings.change')}
          </Button>
        )}
      </dd>
      {open ? <dd>{children}</dd> : null}
      {saved ? (
        <dd>
          <Status>{done}</Status>
        </dd>
      ) : null}
      {notice}
    </div>
  );
}

export function SaveOrCancel({ busy, onCancel }: { busy: boolean; onCancel: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={styles.buttons}>
      <Button busy={busy && t('settings.saving')}>{t('settings.save')}</Button>
      <Button disabled={busy} variant="secondary" onClick={onCancel}>
        {t('settings.cancel')}
      </Button>
    </div>
  );
}
