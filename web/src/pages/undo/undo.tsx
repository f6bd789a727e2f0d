import { type UndoDetails, type UndoneCredential, undoCredential } from '../../api/credential-undo';
import { Button } from '../../components/button';
import { useLinkAction } from '../../hooks/use-link-action';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';
import { Done, MailedDecision, NewPasswordLink, UndoneCard } from './mailed-decision';
import { useUndoDetails } from './use-undo-details';

type Change = NonNullable<UndoDetails['change']>;

/** The requests that an undo stops. It takes every other change back. */
const REQUESTS: readonly Change['kind'][] = ['second_factor_reset_requested', 'deletion_requested'];

/** What the question promises, and the button that does it with its text meanwhile. */
const WORDS = {
  undo: ['undo.lead', 'undo.submit', 'undo.busy'],
  stop: ['undo.stop_lead', 'undo.stop_submit', 'undo.stop_busy'],
  over: ['undo.over_lead', 'undo.over_submit', 'undo.busy'],
} as const;

/** The screen of a mailed link that removes a newly added credential, or stops what somebody has requested. */
export default function Undo() {
  const { t } = useTranslation();
  // The result is null if the user recognises the change and keeps it.
  const action = useLinkAction<UndoneCredential | null>('token', undoCredential);
  const { details, isSpent } = useUndoDetails('token');
  const change = details?.change ?? null;
  const [lead, submit, busy] = WORDS[effectOf(change)];
  return (
    <MailedDecision
      action={action}
      button={[t(submit), t(busy), 'danger']}
      done={(undone) =>
        undone ? (
          <UndoneCard
            {...undone}
            lines={[t('answer.credential_removed')]}
            title={t('undo.removed_title')}
          />
        ) : (
          <Done lines={[t('undo.kept')]} title={t('undo.kept_title')} />
        )
      }
      expired={t('undo.expired')}
      failed={t('undo.failed')}
      isSpent={isSpent}
      lead={`${useChangeText(change)} ${t(lead)}`}
      refusal={
        <Button disabled={action.busy} variant="secondary" onClick={() => action.keep(null)}>
          {t('was_this_you.yes')}
        </Button>
      }
      rescue={<NewPasswordLink />}
      title={t('was_this_you.title')}
    />
  );
}

function effectOf(change: Change | null): keyof typeof WORDS {
  if (!change || !REQUESTS.includes(change.kind)) return 'undo';
  return change.over ? 'over' : 'stop';
}

/** Returns a sentence about the reported change. Until the change is loaded, the sentence has no details. */
function useChangeText(change: Change | null): string {
  const { t } = useTranslation();
  const { formatDate, formatTime } = useTimeFormat();
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
