import { type Ref, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button';
import styles from './confirmation.module.css';

interface ConfirmationProps {
  /** Opened with `showModal()`, which keeps the focus inside and gives it back at the end. */
  ref: Ref<HTMLDialogElement>;
  title: string;
  text: string;
  /** The word of the button that goes ahead. */
  yes: string;
  onConfirm: () => void;
  onCancel: () => void;
}

/** A question before something that cannot be taken back. Escape is a no. */
export function Confirmation({ ref, title, text, yes, onConfirm, onCancel }: ConfirmationProps) {
  const { t } = useTranslation();
  const id = useId();
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
        {/* First, so that it has the focus when the question opens. */}
        <Button look="secondary" onClick={onCancel}>
          {t('settings.cancel')}
        </Button>
        <Button look="danger" onClick={onConfirm}>
          {yes}
        </Button>
      </div>
    </dialog>
  );
}
