import { useFormatter, useNow } from 'use-intl';
import styles from './history-page.module.css';

const MINUTE_MS = 60_000;

/** When it was: in words, and exactly. */
export function Moment({ at }: { at: string }) {
  const format = useFormatter();
  const now = useNow({ updateInterval: MINUTE_MS });
  const date = new Date(at);
  // A clock that goes ahead does not make it the future.
  const reference = date > now ? date : now;
  return (
    <time dateTime={at} className={styles['when']}>
      {format.relativeTime(date, reference)}
      <span aria-hidden="true"> · </span>
      <span className="visually-hidden">, </span>
      {format.dateTime(date, { dateStyle: 'medium', timeStyle: 'medium' })}
    </time>
  );
}
