import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { newRecoveryCodes, turnOffSecondFactor } from '../../api/second-factor';
import type { Security } from '../../api/security';
import { Button } from '../../components/button';
import { Confirmation } from '../../components/confirmation';
import type { Elements } from '../../components/elements';
import { Failure } from '../../components/failure';
import { LoadFailure } from '../../components/load-failure';
import { LoadingIndicator } from '../../components/loading-indicator';
import { Alert, Status } from '../../components/notice';
import { Section } from '../../components/section';
import { useReauthenticatedRequest } from '../../features/reauthentication/use-identity-proof';
import type { Loaded } from '../../hooks/use-loaded';
import { useTranslation } from '../../i18n/use-translation';
import { loadScript } from '../../loading/lazy-page';

const importCodesScreen = () => import('../../features/second-factor/pending-codes');

/** The new recovery codes, and the lazily loaded component that shows them. */
export interface NewCodes extends Awaited<ReturnType<typeof importCodesScreen>> {
  codes: readonly string[];
}

/** If at most this number of recovery codes is left, the section recommends new recovery codes. */
const FEW_CODES = 3;

interface TwoStepSectionProps {
  security: Loaded<Security>;
  reloading: boolean;
  reload: () => void;
  /** Whether the user has just replaced the recovery codes. */
  codesReplaced: boolean;
  /** Called when the second factor is turned off. */
  onOff: () => void;
  /** Called when the server has created new recovery codes. */
  onCodes: (codes: NewCodes) => void;
}

/** The section that shows whether two-step verification is on, with the buttons that change it. */
export function TwoStepSection(props: TwoStepSectionProps) {
  const { security, reloading, reload, codesReplaced, onOff, onCodes } = props;
  const { t } = useTranslation();
  const heading = useRef<HTMLHeadingElement>(null);
  const [, navigate] = useLocation();
  const [isTurnedOff, setIsTurnedOff] = useState(false);

  function handleTurnedOff() {
    setIsTurnedOff(true);
    onOff();
    heading.current?.focus();
  }

  return (
    <Section heading={heading} lead={t('second_factor.lead')} title={t('second_factor.title')}>
      {isTurnedOff || codesReplaced ? (
        <Status>
          {t(isTurnedOff ? 'second_factor.turned_off' : 'second_factor.codes_replaced')}
        </Status>
      ) : null}
      {content()}
    </Section>
  );

  function content(): Elements {
    if (security.kind === 'loading')
      return <LoadingIndicator>{t('common.loading')}</LoadingIndicator>;
    if (security.kind === 'failed') {
      return (
        <LoadFailure reloading={reloading} onReload={reload}>
          <Alert>{t('second_factor.load_failed')}</Alert>
        </LoadFailure>
      );
    }
    if (security.data.second_factor) {
      return (
        <TurnedOn
          codesLeft={security.data.recovery_codes_left}
          onCodes={onCodes}
          onOff={handleTurnedOff}
        />
      );
    }
    return (
      <>
        <p>{t('second_factor.off')}</p>
        <Button onClick={() => navigate('/settings/security/two-step')}>
          {t('second_factor.turn_on')}
        </Button>
      </>
    );
  }
}

interface TurnedOnProps {
  codesLeft: number;
  onCodes: (codes: NewCodes) => void;
  onOff: () => void;
}

function TurnedOn({ codesLeft, onCodes, onOff }: TurnedOnProps) {
  const { t } = useTranslation();
  const question = useRef<HTMLDialogElement>(null);
  const replaceQuestion = useRef<HTMLDialogElement>(null);
  const turnOffRequest = useReauthenticatedRequest();
  const codesRequest = useReauthenticatedRequest();

  function turnOff() {
    codesRequest.forget();
    turnOffRequest.send(turnOffSecondFactor, onOff);
  }

  function makeCodes() {
    turnOffRequest.forget();
    codesRequest.send(async () => {
      // The script that shows the codes is loaded first, because codes that cannot be shown would be lost.
      const screen = await loadScript(importCodesScreen);
      return { ...screen, codes: await newRecoveryCodes() };
    }, onCodes);
  }

  return (
    <>
      <div>
        <p>{t('second_factor.on')}</p>
        <CodesLeft count={codesLeft} />
        <p>{t('second_factor.new_phone')}</p>
      </div>
      <Failure
        fallback={t('second_factor.failed')}
        reason={turnOffRequest.failure ?? codesRequest.failure}
      />
      <Button
        busy={codesRequest.busy && t('second_factor.new_codes_busy')}
        disabled={turnOffRequest.busy}
        variant="secondary"
        // Without old recovery codes nothing is replaced, so no confirmation is needed.
        onClick={() => (codesLeft ? replaceQuestion.current?.showModal() : makeCodes())}
      >
        {t('second_factor.new_codes')}
      </Button>
      <Button
        busy={turnOffRequest.busy && t('second_factor.turn_off_busy')}
        disabled={codesRequest.busy}
        variant="danger"
        onClick={() => question.current?.showModal()}
      >
        {t('second_factor.turn_off')}
      </Button>
      <Confirmation
        onConfirm={turnOff}
        ref={question}
        text={t('second_factor.off_text')}
        title={t('second_factor.off_title')}
        confirmLabel={t('second_factor.turn_off')}
      />
      <Confirmation
        onConfirm={makeCodes}
        ref={replaceQuestion}
        text={t('second_factor.replace_text')}
        title={t('second_factor.replace_title', { count: codesLeft })}
        confirmLabel={t('second_factor.replace_submit')}
      />
      {turnOffRequest.dialog}
      {codesRequest.dialog}
    </>
  );
}

function CodesLeft({ count }: { count: number }) {
  const { t } = useTranslation();
  if (count === 0) return <p>{t('second_factor.codes_none')}</p>;
  const left = t('second_factor.codes_left', { count });
  return <p>{count <= FEW_CODES ? `${left} ${t('second_factor.codes_few')}` : left}</p>;
}
