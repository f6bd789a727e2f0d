import { Button } from '../../components/button';
import { Result } from '../../components/result';
import { useTranslation } from '../../i18n/use-translation';

interface ResetRequestedProps {
  /** The id of the heading, which is the accessible name of the dialog. */
  headingId: string;
  /** What can be done after the waiting time, and when. */
  date: string;
  /** How the request can be stopped. */
  stop: string;
  onClose: () => void;
}

/** The message after the reset of a lost factor was requested. */
export function ResetRequested({ headingId, date, stop, onClose }: ResetRequestedProps) {
  const { t } = useTranslation();
  return (
    <>
      <h2 id={headingId} key="requested" ref={focusHeading} tabIndex={-1}>
        {t('sign_in.reset_title')}
      </h2>
      <Result status="success">
        <p>{date}</p>
        <p>{stop}</p>
      </Result>
      <Button variant="secondary" onClick={onClose}>
        {t('reauthentication.close')}
      </Button>
    </>
  );
}

/** The heading takes the focus, because the focused button was removed. */
export const focusHeading = (heading: HTMLElement | null) => heading?.focus();
