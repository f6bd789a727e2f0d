import { type ReactNode, useLayoutEffect, useRef } from 'react';
import type { SupportAccount } from '../api/support';
import { useTimeFormat } from '../hooks/use-time-format';
import type { TextKey } from '../i18n/texts';
import { useTranslation } from '../i18n/use-translation';
import { isLanguage, LANGUAGE_NAMES } from '../languages';
import { AccountActions } from './account-actions';
import { AccountLists } from './account-lists';
import styles from './support.module.css';

interface AccountViewProps {
  account: SupportAccount;
  isAdmin: boolean;
  onDone: () => void;
}

const STATE_LABELS: Readonly<Record<SupportAccount['state'], TextKey>> = {
  active: 'support.state_active',
  unverified: 'support.state_unverified',
  disabled: 'support.state_disabled',
  deletion_pending: 'support.state_deletion_pending',
  legacy: 'support.state_legacy',
};

/** The data of an account that agents may see, and the actions of agents. On opening, the heading takes the focus. */
export function AccountView({ account, isAdmin, onDone }: AccountViewProps) {
  const { t } = useTranslation();
  const { formatDateTime, formatDate } = useTimeFormat();
  const heading = useRef<HTMLHeadingElement>(null);
  const focusHeading = () => heading.current?.focus();
  useLayoutEffect(focusHeading, []);

  function finishAction() {
    // The form with the focused button is removed.
    focusHeading();
    onDone();
  }

  const yesOrNo = (value: boolean) => t(value ? 'support.yes' : 'support.no');
  // A date is formatted at noon UTC, which is the same day in almost every time zone.
  const day = (at: string | null | undefined) =>
    at ? formatDate(Date.parse(`${at.slice(0, 10)}T12:00:00Z`)) : null;
  const time = (at: string | null | undefined) => (at ? formatDateTime(Date.parse(at)) : null);
  const facts: readonly [string, ReactNode][] = [
    [t('support.email'), account.email],
    [t('support.state'), t(STATE_LABELS[account.state])],
    [t('support.deletion'), time(account.deletion_at)],
    [t('support.created'), day(account.created_at)],
    [t('support.verified'), account.legacy ? null : yesOrNo(account.verified)],
    [t('support.last_seen'), day(account.last_seen_day)],
    [t('support.region'), account.brand ?? account.region],
    [
      t('support.language'),
      isLanguage(account.language) ? LANGUAGE_NAMES[account.language] : account.language,
    ],
    [t('support.devices'), account.legacy ? null : account.devices],
    [t('support.passkeys'), account.legacy ? null : account.passkeys],
    [t('support.second_factor'), account.legacy ? null : yesOrNo(account.second_factor)],
    [t('support.id'), account.id],
  ];
  return (
    <section aria-labelledby="account" className={styles.section}>
      <h2 id="account" ref={heading} tabIndex={-1}>
        {account.username ?? t('support.account')}
      </h2>
      <dl className={styles.facts}>
        {facts.map(([name, value]) =>
          value === null || value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
      <AccountLists id={account.id} />
      <AccountActions account={account} isAdmin={isAdmin} onDone={finishAction} />
    </section>
  );
}
