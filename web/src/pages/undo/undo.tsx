import {
  type RemainingCredentials,
  type UndoDetails,
  undoCredential,
} from '../../api/credential-undo';
import { Button, ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import { Entry, EntryList } from '../../components/entry-list';
import { Failure } from '../../components/failure';
import { Result } from '../../components/result';
import { SpentLink } from '../../components/spent-link';
import { useLinkAction } from '../../hooks/use-link-action';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import { SpentUndo } from './spent-undo';
import { useUndoDetails } from './use-undo-details';

/** The screen of a mailed link that removes a newly added credential, or cancels a reset of the second factor. */
export default function Undo() {
  const { t } = useTranslation();
  // The result is null if the user recognises the change and keeps it.
  const action = useLinkAction<RemainingCredentials | null>('token', undoCredential);
  const { done, keep, busy, failure, confirm, missing, spent } = action;
  const { details, isSpent } = useUndoDetails('token');
  const change = useChangeText(details);

  if (done && !done.result) {
    return (
      <Card key="kept" title={t('undo.kept_title')}>
        <Result status="success">{t('undo.kept')}</Result>
        <ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>
      </Card>
    );
  }
  if (done?.result) {
    const { passkeys, second_factor } = done.result;
    const remaining = second_factor ? [...passkeys, t('undo.app')] : passkeys;
    return (
      <Card key="removed" title={t('undo.removed_title')}>
        <Result status="success">{t('answer.credential_removed')}</Result>
        <ButtonLink variant="primary" to="/request-password">
          {t('undo.new_password')}
        </ButtonLink>
        {remaining.length > 0 && (
          <>
            <p>{t('undo.remaining')}</p>
            <EntryList>
              {remaining.map((name, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: names can repeat, and their order is fixed
                <Entry key={index} lines={[]} title={name} />
              ))}
            </EntryList>
            <ButtonLink to="/settings/security">{t('undo.security')}</ButtonLink>
          </>
        )}
      </Card>
    );
  }
  if (spent || isSpent) return <SpentUndo />;
  if (missing) {
    return (
      <SpentLink lines={[t('undo.no_token')]}>
        <ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>
      </SpentLink>
    );
  }
  return (
    <Card key="question" lead={`${change} ${t('undo.lead')}`} title={t('was_this_you.title')}>
      <Failure fallback={t('undo.failed')} reason={failure} />
      <Button disabled={busy} variant="secondary" onClick={() => keep(null)}>
        {t('was_this_you.yes')}
      </Button>
      <Button busy={busy && t('undo.busy')} variant="danger" onClick={confirm}>
        {t('undo.remove')}
      </Button>
    </Card>
  );
}

/** Returns a sentence about the reported change. Until the change is loaded, the sentence has no details. */
function useChangeText(details: UndoDetails | null): string {
  const { t } = useTranslation();
  const { formatDate, formatTime } = useTimeFormat();
  const change = details?.change;
  if (!change) return t('undo.unknown');
  const at = Date.parse(change.at);
  const text = t(`undo.${change.kind}`, {
    name: change.name ?? '',
    device: change.device,
    date: formatDate(at),
    time: formatTime(at),
  });
  return change.over ? `${text} ${t('undo.over')}` : text;
}
