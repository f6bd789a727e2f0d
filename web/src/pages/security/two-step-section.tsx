import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { newRecoveryCodes, turnOffSecondFactor } from '../../api/second-factor';
import type { Security } from '../../api/security';
import { Button } from '../../components/button';
import { ConfirmedButton } from '../../components/confirmation';
import { Failure } from '../../components/failure';
import { type Loading, WhenLoaded } from '../../components/load-failure';
import { Status } from '../../components/notice';
import { Section } from '../../components/section';
import { useReauthenticatedRequest } from '../../features/reauthentication/use-identity-proof';
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
  security: Loading<Security>;
  /** Whether the user has just replaced the recovery codes. */
  codesReplaced: boolean;
  /** Called when the second factor is turned off. */
  onOff: () => void;
  /** Called when the server has created new recovery codes. */
  onCodes: (codes: NewCodes) => void;
}

/** The section that shows whether two-step verification is on, with the buttons that change it. */
export function TwoStepSection(props: TwoStepSectionProps) {
  const { security, codesReplaced, onOff, onCodes } = props;
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
      <WhenLoaded
        {...security}
        failed={t('second_factor.load_failed')}
        loading={t('common.loading')}
      >
        {({ second_factor, recovery_codes_left }) =>
          second_factor ? (
            <TurnedOn codesLeft={recovery_codes_left} onCodes={onCodes} onOff={handleTurnedOff} />
          ) : (
            <>
              <p>{t('second_factor.off')}</p>
              <Button onClick={() => navigate('/settings/security/two-step')}>
                {t('second_factor.turn_on')}
              </Button>
            </>
          )
        }
      </WhenLoaded>
    </Section>
  );
}

interface TurnedOnProps {
  codesLeft: number;
  onCodes: (codes: NewCodes) => void;
  onOff: () => void;
}

function TurnedOn({ codesLeft, onCodes, onOff }: TurnedOnProps) {
  const { t } = useTranslation();
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
      <ConfirmedButton
        // Without old recovery codes nothing is replaced.
        asks={codesLeft > 0}
        busy={codesRequest.busy && t('second_factor.new_codes_busy')}
        confirmLabel={t('second_factor.replace_submit')}
        disabled={turnOffRequest.busy}
        onConfirm={makeCodes}
        text={t('second_factor.replace_text')}
        title={t('second_factor.replace_title', { count: codesLeft })}
        variant="secondary"
      >
        {t('second_factor.new_codes')}
      </ConfirmedButton>
      <ConfirmedButton
        busy={turnOffRequest.busy && t('second_factor.turn_off_busy')}
        confirmLabel={t('second_factor.turn_off')}
        disabled={codesRequest.busy}
        onConfirm={turnOff}
        text={t('second_factor.off_text')}
        title={t('second_factor.off_title')}
        variant="danger"
      >
        {t('second_factor.turn_off')}
      </ConfirmedButton>
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
