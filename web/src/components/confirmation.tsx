import { type RefObject, useId } from 'react';
import { useTranslation } from '../i18n/use-translation';
import { Button } from './button';
import styles from './confirmation.module.css';
import result from './result.module.css';

interface ConfirmationProps {
  /** The dialog, which the caller opens with `showModal()`. The browser traps and later restores the focus. */
  ref: RefObject<HTMLDialogElement | null>;
  title: string;
  text: string;
  confirmLabel: string;
  onConfirm: () => void;
}

/** A dialog that asks before an irreversible action. The Escape key cancels the action. */
export function Confirmation({ ref, title, text, confirmLabel, onConfirm }: ConfirmationProps) {
  const { t } = useTranslation();
  const id = useId();
  const close = () => ref.current?.close();

  /** The dialog closes first, because closing it moves the focus back, and the action may move the focus. */
  function confirm() {
    close();
    onConfirm();
  }

  return (
    <dialog
      aria-describedby={`${id}-text`}
      aria-labelledby={`${id}-title`}
      className={`${styles.dialog} ${result.settling}`}
      ref={ref}
    >
      <h2 id={`${id}-title`}>{title}</h2>
      <p id={`${id}-text`}>{text}</p>
      <div className={styles.buttons}>
        {/* The cancel button comes first, so that this button gets the initial focus of the dialog. */}
        <Button variant="secondary" onClick={close}>
          {t('settings.cancel')}
        </Button>
        <Button variant="danger" onClick={confirm}>
          {confirmLabel}
        </Button>
      </div>
    </dialog>
  );
}
