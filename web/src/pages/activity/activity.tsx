import { type ReactNode, useRef } from 'react';
import { useLocation } from 'wouter';
import {
  type ActivityEvent,
  type Activity as ActivityList,
  disownSignIn,
  fetchActivity,
} from '../../api/activity';
import { BackLink } from '../../components/back-link';
import { Button } from '../../components/button';
import { Card } from '../../components/card';
import { Entry, EntryList } from '../../components/entry-list';
import { Failure } from '../../components/failure';
import { LoadFailure } from '../../components/load-failure';
import { LoadingIndicator } from '../../components/loading-indicator';
import { Alert } from '../../components/notice';
import { loadBanner } from '../../features/second-factor/load-security';
import { useRequest } from '../../forms/use-request';
import { useLoaded } from '../../hooks/use-loaded';
import { useSessionEnd } from '../../hooks/use-session-end';
import { useTimeFormat } from '../../hooks/use-time-format';
import { useTranslation } from '../../i18n/use-translation';

/** The kinds of events that a user can report with "That wasn't me". */
const SIGN_INS: readonly ActivityEvent['kind'][] = [
  'signed_in',
  'sign_in_blocked',
  'app_signed_in',
];

interface ListWithBanner extends ActivityList {
  /** The warning of a pending reset of the second factor. */
  banner: ReactNode;
}

async function fetchFirstPage(): Promise<ListWithBanner> {
  const [list, banner] = await Promise.all([fetchActivity(null), loadBanner()]);
  return { ...list, banner };
}

/** The recent activity of the account. Redirects to the sign-in if there is no session. */
export default function Activity() {
  const { t } = useTranslation();
  const ended = useSessionEnd();
  const { state, reloading, reload, update } = useLoaded(fetchFirstPage, { handled: ended });
  const { busy, failure, send } = useRequest(ended);
  const list = useRef<HTMLDivElement>(null);

  function loadMore(before: string) {
    send(
      () => fetchActivity(before),
      (page) => {
        update((before) => ({ ...before, ...page, events: [...before.events, ...page.events] }));
        // After the last page the focus moves to the list, because the focused button is removed.
        if (!page.next) list.current?.focus({ preventScroll: true });
      },
    );
  }

  return (
    <Card lead={t('activity.lead')} title={t('activity.title')}>
      {state.kind === 'loading' ? <LoadingIndicator>{t('common.loading')}</LoadingIndicator> : null}
      {state.kind === 'failed' ? (
        <LoadFailure reloading={reloading} onReload={reload} variant="primary">
          <Alert>
            <p>{t('activity.load_failed')}</p>
          </Alert>
        </LoadFailure>
      ) : null}
      {state.kind === 'loaded' ? state.data.banner : null}
      {state.kind === 'loaded' && state.data.events.length === 0 ? (
        <p>{t('activity.empty')}</p>
      ) : null}
      {state.kind === 'loaded' && state.data.events.length > 0 ? (
        <div ref={list} tabIndex={-1}>
          <EntryList>
            {state.data.events.map((event) => (
              <EventEntry event={event} key={event.id} />
            ))}
          </EntryList>
        </div>
      ) : null}
      <Failure fallback={t('activity.load_failed')} reason={failure} />
      {state.kind === 'loaded' && state.data.next ? (
        <Button
          busy={busy && t('common.loading')}
          variant="secondary"
          onClick={() => loadMore(state.data.next as string)}
        >
          {t('activity.more')}
        </Button>
      ) : null}
      <BackLink divided to="/settings/security">
        {t('security.title')}
      </BackLink>
    </Card>
  );
}

function EventEntry({ event }: { event: ActivityEvent }) {
  const { t } = useTranslation();
  const { formatDateTime, formatTimeAgo } = useTimeFormat();
  const [, navigate] = useLocation();
  const { busy, failure, send } = useRequest(useSessionEnd());
  const at = Date.parse(event.at);
  const when = (
    <>
      {formatTimeAgo(at, Date.now())}
      {' · '}
      <time dateTime={event.at}>{formatDateTime(at)}</time>
    </>
  );
  const where = [event.device, event.network].filter(Boolean).join(' · ');
  const isSignIn = SIGN_INS.includes(event.kind);

  const disown = () =>
    send(
      () => disownSignIn(event.id),
      () => navigate('/settings?change=password', { state: { disowned: true } }),
    );

  return (
    <Entry
      actions={
        isSignIn
          ? (name) => (
              <Button
                busy={busy && t('common.loading')}
                describedBy={name}
                variant="quiet"
                onClick={disown}
              >
                {t('activity.not_me')}
              </Button>
            )
          : undefined
      }
      badge={event.current ? t('devices.current') : null}
      lines={where ? [when, where] : [when]}
      title={t(`activity.${event.kind}`)}
    >
      {failure === null ? null : (
        <Failure fallback={t('activity.not_me_failed')} reason={failure} />
      )}
    </Entry>
  );
}
