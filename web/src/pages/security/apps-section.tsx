import { useRef, useState } from 'react';
import { isRefusal } from '../../api/client';
import { type ConnectedApp, fetchConnectedApps, signOutOfApp } from '../../api/connected-apps';
import { Button } from '../../components/button';
import { Entry, EntryList } from '../../components/entry-list';
import { Failure } from '../../components/failure';
import { WhenLoaded } from '../../components/load-failure';
import { Status } from '../../components/notice';
import { Section } from '../../components/section';
import { useRequest } from '../../forms/use-request';
import { useLoaded } from '../../hooks/use-loaded';
import { useSessionEnd } from '../../hooks/use-session-end';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';

export function AppsSection() {
  const { t } = useTranslation();
  const heading = useRef<HTMLHeadingElement>(null);
  const apps = useLoaded(fetchConnectedApps, { onFailure: useSessionEnd() });
  // The name of the application that the user has last signed out of.
  const [signedOutOf, setSignedOutOf] = useState<string | null>(null);

  function remove({ client_id, name }: ConnectedApp) {
    setSignedOutOf(name);
    apps.update((before) => before.filter((app) => app.client_id !== client_id));
    heading.current?.focus();
  }

  return (
    <Section heading={heading} lead={t('connected_apps.lead')} title={t('connected_apps.title')}>
      {signedOutOf ? <Status>{t('connected_apps.left', { name: signedOutOf })}</Status> : null}
      <WhenLoaded {...apps} failed={t('connected_apps.load_failed')} loading={t('common.loading')}>
        {(list) =>
          list.length === 0 ? (
            <p>{t('connected_apps.empty')}</p>
          ) : (
            <EntryList>
              {list.map((app) => (
                <AppEntry app={app} key={app.client_id} onSignedOut={() => remove(app)} />
              ))}
            </EntryList>
          )
        }
      </WhenLoaded>
    </Section>
  );
}

function AppEntry({ app, onSignedOut }: { app: ConnectedApp; onSignedOut: () => void }) {
  const { t } = useTranslation();
  const { formatDateTime, formatTimeAgo } = useTimeFormat();
  const isSessionEnd = useSessionEnd();
  const { busy, failure, send } = useRequest((reason) => {
    // The server no longer knows the sign-in to the application, so the user is signed out already.
    const gone = isRefusal(reason, 'not_found');
    if (gone) onSignedOut();
    return gone || isSessionEnd(reason);
  });
  const { client_id, name } = app;
  const lastUse = formatTimeAgo(Date.parse(app.last_used_at), Date.now());
  const since = formatDateTime(Date.parse(app.first_used_at));

  return (
    <Entry
      actions={() => (
        <Button
          busy={busy && t('connected_apps.busy')}
          variant="quiet"
          onClick={() => send(() => signOutOfApp(client_id), onSignedOut)}
        >
          {t('connected_apps.sign_out', { name })}
        </Button>
      )}
      lines={[t('devices.last_used', { ago: lastUse }), t('devices.first_seen', { date: since })]}
      title={name}
    >
      {failure ? <Failure fallback={t('connected_apps.failed')} reason={failure} /> : null}
    </Entry>
  );
}
