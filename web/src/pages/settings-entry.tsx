import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../components/button';
import { Status } from '../components/notice';
import { useInlineFocus } from '../forms/use-inline-focus';
import styles from './settings.module.css';

/** Where an entry stands with its form. */
export interface Editing {
  open: boolean;
  /** It was saved just now. */
  saved: boolean;
  onOpen: () => void;
  onCancel: () => void;
  onSaved: () => void;
}

interface SettingsEntryProps extends Editing {
  name: string;
  value: ReactNode;
  /** What the button is called; its visible word is just "Change". */
  change: string;
  /** What is said when it was saved. */
  done: string;
  /** The form that opens in place. Closing takes it away, and with it all that was typed. */
  children: ReactNode;
}

/** Something about the account, and a form that changes it. */
export function SettingsEntry(props: SettingsEntryProps) {
  const { name, value, change, done, open, saved, onOpen, children } = props;
  const { t } = useTranslation();
  const place = useInlineFocus<HTMLDivElement>(open);

  return (
    <div className={styles.entry} ref={place}>
      <dt>{name}</dt>
      <dd className={styles.value}>
        {value}
        {open ? null : (
          <Button label={change} look="secondary" onClick={onOpen}>
            {t('settings.change')}
          </Button>
        )}
      </dd>
      {open ? <dd>{children}</dd> : null}
      {saved ? (
        <dd>
          <Status>
            <p>{done}</p>
          </Status>
        </dd>
      ) : null}
    </div>
  );
}

/** What stands below each of these forms. */
export function SaveOrCancel({ busy, onCancel }: { busy: boolean; onCancel: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={styles.buttons}>
      <Button busy={busy && t('settings.saving')}>{t('settings.save')}</Button>
      <Button look="secondary" onClick={onCancel}>
        {t('settings.cancel')}
      </Button>
    </div>
  );
}
