import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Alert } from '../../components/notice';
import { useTranslation } from '../../i18n/use-translation';
import styles from './popcorn-break.module.css';

const MINUTE_MS = 60_000;

/** The positions of the pieces of popcorn. In the last minutes of the wait, one piece disappears per minute. */
const POPCORN = [
  [38, 34],
  [60, 36],
  [82, 34],
  [48, 22],
  [71, 21],
  [60, 10],
] as const;

/**
 * The alert after a rate limit: the minutes until the next attempt, as text and as a bucket of popcorn. After the wait,
 * the alert says that the user can try again.
 */
export function PopcornBreak({ seconds }: { seconds: number }) {
  const { t, language } = useTranslation();
  const minutes = useMinutesLeft(seconds);
  const alert = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => alert.current?.focus(), []);
  if (minutes === 0) return <Alert ref={alert}>{t('answer.wait_over')}</Alert>;
  const label = new Intl.NumberFormat(language, { style: 'unit', unit: 'minute' }).format(minutes);
  return (
    <Alert ref={alert}>
      {/* `off`: screen readers announce only the first and the last message, not every minute. */}
      <p aria-live="off">{t('answer.wait_minutes', { count: minutes })}</p>
      <svg aria-hidden="true" className={styles.bucket} viewBox="22 0 76 112">
        {POPCORN.slice(0, minutes).map(([x, y]) => (
          <path
            d={`M${x - 11} ${y}a7 7 0 0 1 8-8 8 8 0 0 1 14 4 7 7 0 0 1-3 12 9 9 0 0 1-14 1 6 6 0 0 1-5-9z`}
            key={`${x} ${y}`}
          />
        ))}
        <path className="lit" d="M22 44h76l-8 66H30z" />
        <text x="60" y="83">
          {label}
        </text>
      </svg>
    </Alert>
  );
}

/** Returns the minutes until the next attempt is allowed, rounded up. */
function useMinutesLeft(seconds: number): number {
  const [minutes, setMinutes] = useState(() => Math.ceil((seconds * 1000) / MINUTE_MS));
  useEffect(() => {
    const end = Date.now() + seconds * 1000;
    const update = () => setMinutes(Math.max(0, Math.ceil((end - Date.now()) / MINUTE_MS)));
    update();
    const timer = setInterval(update, 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return minutes;
}
