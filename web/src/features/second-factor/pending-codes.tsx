import { confirmRecoveryCodes } from '../../api/second-factor';
import { Failure } from '../../components/failure';
import { useTranslation } from '../../i18n/use-translation';
import { useReauthenticatedRequest } from '../reauthentication/use-identity-proof';
import { RecoveryCodes } from './recovery-codes';

interface PendingCodesProps {
  codes: readonly string[];
  /** Called when the server has replaced the old recovery codes. */
  onSaved: () => void;
  /** Called if the user keeps the old recovery codes. */
  onKeep: () => void;
}

/** Shows new recovery codes. The old recovery codes stay valid until the user confirms that the new ones are saved. */
export function PendingCodes({ codes, onSaved, onKeep }: PendingCodesProps) {
  const { t } = useTranslation();
  const { busy, failure, send, dialog } = useReauthenticatedRequest();
  return (
    <>
      <RecoveryCodes
        codes={codes}
        done={t('second_factor.codes_pending', { button: t('second_factor.saved') })}
        onSaved={() => send(confirmRecoveryCodes, onSaved)}
        replacement={{
          busy,
          failure: (
            <Failure
              fallback={t('second_factor.failed')}
              own={{ invalid_token: t('error.recovery_codes_expired') }}
              reason={failure}
            />
          ),
          onKeep,
        }}
      />
      {dialog}
    </>
  );
}
