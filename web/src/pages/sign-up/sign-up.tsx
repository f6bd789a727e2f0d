import { useState } from 'react';
import type { User } from '../../api/session';
import { Card } from '../../components/card';
import { useTranslation } from '../../i18n/use-translation';
import { SignUpDone } from './sign-up-done';
import { SignUpForm } from './sign-up-form';

/** The registration form, and the result after it. */
export default function SignUp() {
  const { t } = useTranslation();
  const [user, setUser] = useState<User | null>(null);

  if (user) {
    // A new key remounts the card, so that its heading takes the focus and is announced.
    return (
      <Card key="done" title={t('sign_up.done_title')}>
        <SignUpDone user={user} />
      </Card>
    );
  }
  return (
    <Card key="form" lead={t('sign_up.lead')} title={t('sign_up.title')}>
      <SignUpForm onDone={setUser} />
    </Card>
  );
}
