import type { UndoneCredential } from '../../api/credential-undo';
import { Button, ButtonLink } from '../../components/button';
import { Card } from '../../components/card';
import type { Elements } from '../../components/elements';
import { Entry, EntryList } from '../../components/entry-list';
import { Failure } from '../../components/failure';
import { Result } from '../../components/result';
import { SpentLink } from '../../components/spent-link';
import type { useLinkAction } from '../../hooks/use-link-action';
import { useTranslation } from '../../i18n/use-translation';

interface MailedDecisionProps<Answer> {
  action: ReturnType<typeof useLinkAction<Answer>>;
  title: string;
  lead: string;
  /** The button that sends the decision: its text, its text meanwhile, and whether the action is destructive. */
  button: readonly [text: string, busy: string, variant?: 'danger'];
  /** The message that is shown if the error response contains no message. */
  failed: string;
  /** The button that keeps everything as it is. */
  refusal?: Elements;
  /** The link below the buttons. */
  back?: Elements;
  done: (answer: Answer) => Elements;
  /** Whether the server has refused the link before a button was pressed. */
  isSpent?: boolean;
  /** Why a link may no longer be valid. */
  expired: string;
  /** How the user can continue without a valid link. */
  rescue?: Elements;
}

/** The screen of a mailed link that asks a question. Only a button redeems the link, because mail scanners open links. */
export function MailedDecision<Answer>(props: MailedDecisionProps<Answer>) {
  const { action, title, lead, button, failed, refusal, done, expired, rescue } = props;
  const { busy, failure, confirm, missing } = action;
  const { t } = useTranslation();
  const [text, busyText, variant = 'primary'] = button;
  const isSpent = action.spent || props.isSpent;

  if (action.done) return done(action.done.result);
  if (isSpent || missing) {
    return (
      <SpentLink lines={[isSpent ? expired : t('undo.no_token')]}>
        {rescue}
        <ButtonLink to="/">{t('common.go_to_sign_in')}</ButtonLink>
      </SpentLink>
    );
  }
  return (
    <Card key="question" lead={lead} title={title}>
      <Failure fallback={failed} reason={failure} />
      {refusal}
      <Button busy={busy && busyText} variant={variant} onClick={confirm}>
        {text}
      </Button>
      {props.back}
    </Card>
  );
}

interface DoneProps {
  title: string;
  lines: readonly string[];
  /** The steps that the screen recommends before the sign-in. */
  children?: Elements;
}

/** The result of a decision. */
export function Done({ title, lines, children }: DoneProps) {
  const { t } = useTranslation();
  return (
    <Card title={title}>
      <Result status="success">
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </Result>
      {children}
      <ButtonLink to="/" variant={children ? 'secondary' : 'primary'}>
        {t('common.go_to_sign_in')}
      </ButtonLink>
    </Card>
  );
}

/** The link to a new password, which a thief may know. */
export function NewPasswordLink() {
  const { t } = useTranslation();
  return (
    <ButtonLink variant="primary" to="/request-password">
      {t('undo.new_password')}
    </ButtonLink>
  );
}

interface UndoneProps extends Pick<UndoneCredential, 'taken' | 'remaining'> {
  title: string;
  lines: readonly string[];
}

/** The result of an undo, with the older ways to sign in, which the undo has kept. */
export function UndoneCard({ title, lines, taken, remaining }: UndoneProps) {
  const { t } = useTranslation();
  const names = [...remaining.passkeys, ...(remaining.second_factor ? [t('undo.app')] : [])];
  return (
    <Done
      lines={taken ? [t('answer.undone_but_taken')] : lines}
      title={taken ? t('undo.removed_title') : title}
    >
      {/* A link for a new password would go to the other account. The mailed link sets a new password. */}
      {taken ? null : <NewPasswordLink />}
      {names.length > 0 ? (
        <>
          <p>{t('undo.remaining')}</p>
          <EntryList>
            {names.map((name, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names can repeat, and their order is fixed
              <Entry key={index} lines={[]} title={name} />
            ))}
          </EntryList>
          <ButtonLink to="/settings/security">{t('undo.security')}</ButtonLink>
        </>
      ) : null}
    </Done>
  );
}
