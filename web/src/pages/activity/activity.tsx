import { type ReactNode, useRef } from 'react';
import { useLocation } from 'wouter';
import {
  type ActivityEvent,
  type Activity as ActivityList,
  disownSignIn,
  fetchActivity,
} from '../../api/activity';
import { setSessionPossible } from '../../browser/session-hint';
import { BackLink } from '../../components/back-link';
import { Button } from '../../components/button';
import { Card } from '../../components/card';
import { ConfirmedButton } from '../../components/confirmation';
import type { Elements } from '../../components/elements';
import { Entry, EntryList } from '../../components/entry-list';
import { Failure } from '../../components/failure';
import { WhenLoaded } from '../../components/load-failure';
import { Section } from '../../components/section';
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
  banner: Elements;
}

async function fetchFirstPage(): Promise<ListWithBanner> {
  const [list, banner] = await Promise.all([fetchActivity(null), loadBanner()]);
  return { ...list, banner };
}

/** The screen with the recent activity of the account. Redirects to the sign-in screen without a session. */
export default function Activity() {
  const { t } = useTranslation();
  const { formatDate } = useTimeFormat();
  const isSessionEnd = useSessionEnd();
  const loaded = useLoaded(fetchFirstPage, { onFailure: isSessionEnd });
  const { busy, failure, send } = useRequest(isSessionEnd);
  const list = useRef<HTMLDivElement>(null);

  function loadMore(before: string) {
    send(
      () => fetchActivity(before),
      (page) => {
        loaded.update((earlier) => ({
          ...earlier,
          ...page,
          events: [...earlier.events, ...page.events],
        }));
        // Once all pages are loaded, the focus moves to the list, because the focused button is removed.
        if (!page.next) list.current?.focus({ preventScroll: true });
      },
    );
  }

  return (
    <Card lead={t('activity.lead')} title={t('activity.title')}>
      <BackLink to="/settings/security">{t('security.back')}</BackLink>
      <WhenLoaded {...loaded} failed={t('activity.load_failed')}>
        {({ banner, events, next }) => (
          <>
            {banner}
            {events.length === 0 ? (
              <p>{t('activity.empty')}</p>
            ) : (
              <div ref={list} tabIndex={-1}>
                {groupByDay(mergeResetsWithTheirStops(events), formatDate).map(([day, entries]) => (
                  <Section key={day} title={day}>
                    <EntryList dense>
                      {entries.map((event) => (
                        <EventEntry
                          event={event}
                          isSession={event.id === sessionStart(events)?.id}
                          key={event.id}
                        />
                      ))}
                    </EntryList>
                  </Section>
                ))}
              </div>
            )}
            <Failure fallback={t('activity.load_failed')} reason={failure} />
            {next ? (
              <Button
                busy={busy && t('common.loading')}
                variant="secondary"
                onClick={() => loadMore(next)}
              >
                {t('activity.more')}
              </Button>
            ) : null}
          </>
        )}
      </WhenLoaded>
    </Card>
  );
}

interface ListedEvent extends ActivityEvent {
  /** For the cancellation of a reset: the event of the request that was cancelled. */
  request?: ActivityEvent;
}

/** Combines the request and the cancellation of a second-factor reset into one listed event. */
function mergeResetsWithTheirStops(newestFirst: readonly ActivityEvent[]): ListedEvent[] {
  const listed: ListedEvent[] = [];
  let stop: ListedEvent | undefined;
  for (const event of newestFirst) {
    if (stop && event.kind === 'second_factor_reset_requested') {
      stop.request = event;
      stop = undefined;
      continue;
    }
    listed.push({ ...event });
    if (event.kind === 'second_factor_reset_cancelled') stop = listed.at(-1);
  }
  return listed;
}

/** Groups the events by day, in the given order. */
function groupByDay(events: readonly ListedEvent[], formatDate: (millis: number) => string) {
  const days = new Map<string, ListedEvent[]>();
  for (const event of events) {
    const day = formatDate(Date.parse(event.at));
    days.set(day, days.get(day) ?? []);
    days.get(day)?.push(event);
  }
  return [...days];
}

/** Returns the sign-in that started this session, which is the newest sign-in on this browser. */
const sessionStart = (newestFirst: readonly ActivityEvent[]) =>
  newestFirst.find(({ current, kind }) => current && kind === 'signed_in');

interface EventEntryProps {
  event: ListedEvent;
  /** Whether the event is the sign-in that started this session. The user of this session cannot report it. */
  isSession: boolean;
}

function EventEntry({ event, isSession }: EventEntryProps) {
  const { t } = useTranslation();
  const { formatDateTime, formatTime } = useTimeFormat();
  const [, navigate] = useLocation();
  const { busy, failure, send } = useRequest(useSessionEnd());
  const device = event.device ?? event.network ?? '';
  const lineOf = ({ at, device }: ActivityEvent, format: (millis: number) => string) => (
    <>
      <time dateTime={at} title={formatDateTime(Date.parse(at))}>
        {format(Date.parse(at))}
      </time>
      {device ? <span>{` · ${device}`}</span> : null}
    </>
  );
  const { request } = event;
  const lines: ReactNode[] = [lineOf(event, formatTime)];
  if (request) {
    lines.push(
      <>
        <span>{`${t(`activity.${request.kind}`)} · `}</span>
        {lineOf(request, formatDateTime)}
      </>,
    );
  }
  const canBeDisowned = SIGN_INS.includes(event.kind) && !isSession;

  /**
   * Opens the password form. The user signs in first if the reported session was that of this browser and has ended.
   */
  function changePassword() {
    const form = '/settings?change=password';
    const notice = { text: 'answer.sign_in_disowned' };
    if (!event.current) {
      navigate(form, { state: { notice } });
      return;
    }
    setSessionPossible(false);
    navigate('/', { replace: true, state: { notice, page: `/account${form}` } });
  }

  return (
    <Entry
      actions={
        canBeDisowned
          ? (name) => (
              <ConfirmedButton
                busy={busy && t('common.loading')}
                confirmLabel={t('activity.not_me_submit')}
                describedBy={name}
                label={t('activity.not_me_device', { device })}
                onConfirm={() => send(() => disownSignIn(event.id), changePassword)}
                text={t(event.current ? 'activity.not_me_here' : 'activity.not_me_text')}
                title={t('activity.not_me_title', { device })}
                variant="quiet"
              >
                {t('activity.not_me')}
              </ConfirmedButton>
            )
          : undefined
      }
      badge={event.current ? t('devices.current') : null}
      lines={lines}
      title={t(`activity.${event.kind}`)}
    >
      {failure === null ? null : (
        <Failure fallback={t('activity.not_me_failed')} reason={failure} />
      )}
    </Entry>
  );
}
