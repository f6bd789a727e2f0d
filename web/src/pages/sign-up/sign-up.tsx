import { useState } from 'react';
import type { User } from '../../api/session';
import { Card } from '../../components/card';
import { useKeptResult } from '../../hooks/use-kept-result';
import { useTranslation } from '../../i18n/use-translation';
import { SignUpDone } from './sign-up-done';
import { SignUpForm } from './sign-up-form';
import type { SentRegistration } from './sign-up-values';

interface Registered {
  user: User;
  sent: SentRegistration;
}

/** The registration screen: the form, then the result. From the result the user can return to correct the form. */
export default function SignUp() {
  const { t } = useTranslation();
  const { done, keep, forget } = useKeptResult<Registered>('registered');
  const [sent, setSent] = useState<SentRegistration | null>(null);

  if (done) {
    const { user, sent } = done.result;
    const returnToForm = () => {
      setSent(sent);
      forget();
    };
    // A new key remounts the card, so that the heading takes the focus and is announced.
    return (
      <Card key="done" title={t('common.check_email')}>
        <SignUpDone onCorrect={returnToForm} user={user} />
      </Card>
    );
  }

  return (
    <Card
      key="form"
      lead={t(sent ? 'sign_up.correct_lead' : 'sign_up.lead')}
      title={t('sign_up.title')}
    >
      <SignUpForm onDone={(user, sent) => keep({ user, sent })} sent={sent} />
    </Card>
  );
}
