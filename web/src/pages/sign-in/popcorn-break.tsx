import { useEffect, useState } from 'react';
import { waitingSecondsOf } from '../../api/message';
import { useTranslation } from '../../i18n/use-translation';
import styles from './popcorn-break.module.css';

const MINUTE_MS = 60_000;

/** The places of the popcorn in the bucket. One piece is eaten in each of the last minutes. */
const POPCORN = [
  [38, 34],
  [60, 36],
  [82, 34],
  [48, 22],
  [71, 21],
  [60, 10],
] as const;

/**
 * A bucket of popcorn that shows the minutes until the rate limit allows the next attempt, and then says that the user
 * can try again. Renders nothing for every other error.
 */
export function PopcornBreak({ failure }: { failure: unknown }) {
  const seconds = waitingSecondsOf(failure);
  return seconds === null ? null : <Countdown seconds={seconds} />;
}

function Countdown({ seconds }: { seconds: number }) {
  const { t, language } = useTranslation();
  const minutes = useMinutesLeft(seconds);
  if (minutes === 0) return <p>{t('answer.wait_over')}</p>;
  const label = new Intl.NumberFormat(language, { style: 'unit', unit: 'minute' }).format(minutes);
  return (
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
