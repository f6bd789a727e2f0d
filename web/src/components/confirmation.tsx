import { useId, useRef } from 'react';
import { useTranslation } from '../i18n/use-translation';
import { Button, type ButtonProps } from './button';
import styles from './confirmation.module.css';
import result from './result.module.css';

interface ConfirmedButtonProps extends Omit<ButtonProps, 'onClick' | 'ref' | 'type'> {
  /** Whether the button asks. Default: true. */
  asks?: boolean;
  /** The title, the text and the button of the question. */
  title: string;
  text: string;
  confirmLabel: string;
  onConfirm: () => void;
}

/** A button that asks in a dialog before an irreversible action. The Escape key cancels the action. */
export function ConfirmedButton(props: ConfirmedButtonProps) {
  const { asks = true, title, text, confirmLabel, onConfirm, ...button } = props;
  const { t } = useTranslation();
  const id = useId();
  // The browser traps the focus in the dialog and later restores it.
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();

  /** The dialog closes first, because closing it moves the focus back, and the action may move the focus. */
  function confirm() {
    close();
    onConfirm();
  }

  return (
    <>
      <Button {...button} onClick={() => (asks ? dialog.current?.showModal() : onConfirm())} />
      <dialog
        aria-describedby={`${id}-text`}
        aria-labelledby={`${id}-title`}
        className={`${styles.dialog} ${result.settling}`}
        ref={dialog}
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
    </>
  );
}
