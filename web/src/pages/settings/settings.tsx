import { type ComponentType, useCallback, useState } from 'react';
import { useLocation } from 'wouter';
import type { Config } from '../../api/config';
import { logFailure } from '../../api/message';
import { type CurrentUser, currentUser, signOut } from '../../api/session';
import { setSessionPossible } from '../../browser/session-hint';
import { Button } from '../../components/button';
import { Card } from '../../components/card';
import type { Elements } from '../../components/elements';
import { WhenLoaded } from '../../components/load-failure';
import { NavigationNotice } from '../../components/navigation-notice';
import { Alert } from '../../components/notice';
import { SettingsNav } from '../../components/settings-nav';
import { useConfig } from '../../config';
import {
  loadSecuritySettings,
  type SecuritySettings,
} from '../../features/second-factor/load-security';
import { useRequest } from '../../forms/use-request';
import { useLoaded } from '../../hooks/use-loaded';
import { useSessionEnd } from '../../hooks/use-session-end';
import { useTranslation } from '../../i18n/use-translation';
import { PasskeyOffer } from '../security/passkey-offer';
import { isPasskeyOffered } from './passkey-offered';
import styles from './settings.module.css';
import { AboutSection } from './settings-about';
import { DevicesSection, loadDevices } from './settings-devices';
import { EmailEntry } from './settings-email';
import type { Editing } from './settings-entry';
import { loadPasswordForm, PasswordEntry, type PasswordForm } from './settings-password';

/** The settings of the signed-in user. Redirects to the sign-in screen without a session. */
export default function Settings() {
  const { t } = useTranslation();
  const account = useAccount();
  return (
    <Card title={t('settings.title')}>
      <SettingsNav />
      <WhenLoaded {...account} failed={t('settings.load_failed')}>
        {(loaded) => <Account {...loaded} onChanged={account.reload} />}
      </WhenLoaded>
    </Card>
  );
}

/** Whether the URL opens the password form, as `/.well-known/change-password` for password managers does. */
const isPasswordChange = () => location.search.includes('change=password');

type Changeable = 'email' | 'password';

interface LoadedAccount {
  user: CurrentUser;
  isPasskeyOffered: boolean;
  /** The component for the picture of the account, or null if the region has no pictures. */
  Picture: ComponentType<{ user: CurrentUser }> | null;
  /** The component of the password form if the form is open initially, else null. */
  firstForm: PasswordForm | null;
  /** The warning of a pending reset of the second factor. */
  banner: Elements;
  /** The new email address of a pending change, or null if no change is pending. */
  pendingEmail: string | null;
}

function Account(props: LoadedAccount & { onChanged: () => void }) {
  const { user, Picture, firstForm, banner } = props;
  const [pendingEmail, setPendingEmail] = useState(props.pendingEmail);
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const devices = useLoaded(loadDevices, { onFailure: useSessionEnd() });
  const editing = useEditing(firstForm ? 'password' : null);
  function leave() {
    setSessionPossible(false);
    navigate('/', { state: { notice: { text: 'sign_in.signed_out' } } });
  }
  const password = editing('password');

  function passwordSaved() {
    password.onSaved();
    setPendingEmail(null);
    // The devices are loaded again, because the password change has ended all sessions except this one.
    devices.reload();
  }

  return (
    <>
      {banner}
      <NavigationNotice />
      {props.isPasskeyOffered ? <PasskeyOffer /> : null}
      <dl className={styles.list}>
        <div className={styles.entry}>
          <dt>{t('common.username')}</dt>
          <dd className={styles.value}>
            {Picture ? <Picture user={user} /> : null}
            <span>{user.username}</span>
          </dd>
        </div>
        <EmailEntry
          {...editing('email')}
          email={user.email}
          pending={pendingEmail}
          onPending={setPendingEmail}
          onChanged={props.onChanged}
        />
        <PasswordEntry {...password} firstForm={firstForm} onSaved={passwordSaved} user={user} />
      </dl>
      <DevicesSection devices={devices} onSignedOut={leave} />
      <AboutSection />
      <SignOut onDone={leave} />
      <SiteLink />
    </>
  );
}

/**
 * The state of the inline forms. Only one form is open and one success message is shown at a time, because a password
 * change cancels a pending email change. While a form is being saved, no form can be opened or closed.
 */
function useEditing(first: Changeable | null): (which: Changeable) => Editing {
  const [open, setOpen] = useState(first);
  const [savedEntry, setSavedEntry] = useState<Changeable | null>(null);
  const [isSaving, setIsSaving] = useState(false);

  function showEntries(newOpenEntry: Changeable | null, newSavedEntry: Changeable | null) {
    setOpen(newOpenEntry);
    setSavedEntry(newSavedEntry);
  }

  async function save<Result>(request: () => Promise<Result>): Promise<Result> {
    setIsSaving(true);
    setSavedEntry(null);
    try {
      return await request();
    } finally {
      setIsSaving(false);
    }
  }
  return (which) => ({
    open: open === which,
    saved: savedEntry === which,
    saving: isSaving,
    save,
    onOpen: () => showEntries(which, null),
    onCancel: () => showEntries(null, null),
    onSaved: () => showEntries(null, which),
  });
}

function SignOut({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const { busy, failure, send } = useRequest();
  return (
    <div className={styles.leave}>
      {failure === null ? null : <Alert>{t('settings.sign_out_failed')}</Alert>}
      <Button
        busy={busy && t('settings.sign_out_busy')}
        variant="secondary"
        onClick={() => send(signOut, onDone)}
      >
        {t('settings.sign_out')}
      </Button>
    </div>
  );
}

function SiteLink() {
  const { t } = useTranslation();
  const { region, site_home } = useConfig();
  if (!site_home) return null;
  return (
    <p className={styles.site}>
      <a href={site_home}>{t('settings.back_to_site', { brand: region.brand })}</a>
    </p>
  );
}

/** Loads the account of the signed-in user. Redirects to the sign-in screen without a session. */
function useAccount() {
  const config = useConfig();
  const load = useCallback(() => loadAccount(config), [config]);
  return useLoaded(load, { onFailure: useSessionEnd([401, 403]) });
}

/** Loads everything before the screen is shown, because a later offer or banner would move the buttons below it. */
async function loadAccount({ passkeys, region }: Config): Promise<LoadedAccount> {
  const form = isPasswordChange() ? loadPasswordForm() : null;
  // Without the script of the picture, the settings show no picture.
  const pictureModule = region.avatar_images
    ? import('../../components/account-picture').catch(logFailure)
    : null;
  // Without the security settings, the screen shows no banner and no pending email change, and reports no error.
  const security = loadSecuritySettings().catch(logFailure);
  // The form is awaited below. If another request fails first, its failure must not be an unhandled rejection.
  form?.catch(() => undefined);
  const user = await currentUser();
  const Picture = (await pictureModule)?.AccountPicture ?? null;
  const settings: Partial<SecuritySettings> = (await security) ?? {};
  return {
    user,
    isPasskeyOffered: isPasskeyOffered(passkeys, settings),
    Picture,
    firstForm: await form,
    banner: settings.banner,
    pendingEmail: settings.pending_email ?? null,
  };
}
