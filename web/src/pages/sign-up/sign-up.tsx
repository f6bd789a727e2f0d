import { useState } from 'react';
import type { User } from '../../api/session';
import { Card } from '../../components/card';
import { useTranslation } from '../../i18n/use-translation';
import { SignUpDone } from './sign-up-done';
import { SignUpForm } from './sign-up-form';
import type { SentRegistration } from './sign-up-values';

/** The registration screen: the form, and then the result, from which the user can return to the form. */
export default function SignUp() {
  const { t } = useTranslation();
  const [user, setUser] = useState<User | null>(null);
  const [sent, setSent] = useState<SentRegistration | null>(null);

  if (user) {
    // A new key remounts the card, so that the heading takes the focus and is announced.
    return (
      <Card key="done" title={t('common.check_email')}>
        <SignUpDone onCorrect={() => setUser(null)} user={user} />
      </Card>
    );
  }

  function finish(registered: User, registration: SentRegistration) {
    setUser(registered);
    setSent(registration);
  }
  return (
    <Card key="form" lead={t('sign_up.lead')} title={t('sign_up.title')}>
      <SignUpForm onDone={finish} sent={sent} />
    </Card>
  );
}
