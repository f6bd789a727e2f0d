import { useId, useState } from 'react';
import { useLocation } from 'wouter';
import { Card } from '../../components/card';
import type { TextKey } from '../../i18n/texts';
import { useTranslation } from '../../i18n/use-translation';
import { CodeForm } from './code-form';
import { NoCode } from './no-code';
import { useCodeView } from './use-code-view';
import type { SecondStep } from './use-sign-in';

export interface CodeScreenProps {
  step: SecondStep;
  /** The email address of the sign-in. */
  email: string;
  onSuccess: () => void;
  /** Returns to the password form. `reason` is the key of its message, or null. */
  onBack: (reason: TextKey | null) => void;
}

export type CodeKind = 'code' | 'recovery_code';

/** The second step of a sign-in. The script of this step is loaded while the server checks the password. */
export function CodeScreen({ step, email, onSuccess, onBack }: CodeScreenProps) {
  const { t } = useTranslation();
  const lead = useId();
  const { view, showNoCode, showCode, leave } = useCodeView(email, onBack);
  const [kind, setKind] = useState<CodeKind>('code');
  const [token, setToken] = useState(step.refusal.second_factor_token);
  const [, navigate] = useLocation();

  if (view === 'code') {
    return (
      <Card
        key="code"
        lead={
          <span id={lead}>
            {t(kind === 'code' ? 'sign_in.code_lead' : 'sign_in.recovery_lead')}
          </span>
        }
        title={t('sign_in.code_title')}
      >
        <CodeForm
          describedBy={lead}
          kind={kind}
          onBack={leave}
          onKind={setKind}
          onNoCode={showNoCode}
          onSuccess={onSuccess}
          onToken={setToken}
          email={email}
          step={step}
          token={token}
        />
      </Card>
    );
  }
  return (
    <NoCode
      onBack={leave}
      onRecoveryCode={() => {
        setKind('recovery_code');
        showCode();
      }}
      onReset={(at) => {
        const done = { name: 'requested', result: at };
        navigate('/second-factor-reset', { replace: true, state: { done } });
      }}
      onSuccess={onSuccess}
      step={step}
      token={token}
    />
  );
}
