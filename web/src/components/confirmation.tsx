import { type RefObject, useId } from 'react';
import { useTranslation } from '../i18n/use-translation';
import { Button } from './button';
import styles from './confirmation.module.css';

interface ConfirmationProps {
  /** The dialog. `showModal()` opens the dialog, traps the focus, and restores the focus when the dialog closes. */
  ref: RefObject<HTMLDialogElement | null>;
  title: string;
  text: string;
  /** The text of the confirm button. */
  confirmLabel: string;
  onConfirm: () => void;
}

/** A confirmation dialog before an irreversible action. Escape cancels. */
export function Confirmation({ ref, title, text, confirmLabel, onConfirm }: ConfirmationProps) {
  const { t } = useTranslation();
  const id = useId();
  const close = () => ref.current?.close();

  /** Closes the dialog before the action, because closing restores the focus. */
  function confirm() {
    close();
    onConfirm();
  }

  return (
    <dialog
      aria-describedby={`${id}-text`}
      aria-labelledby={`${id}-title`}
      className={styles.dialog}
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
