import { useFormatter, useNow } from 'use-intl';

const MINUTE_MS = 60_000;

interface Moments {
  /** To the minute. */
  moment: (at: string) => string;
  /** To the second, with the time zone. */
  exactly: (at: string) => string;
  /** Relative to now, and never in the future: the clock of the service may be ahead of the reader's. */
  ago: (at: string) => string;
}

/** Formats times in the language and time zone of the reader. */
export function useMoments(): Moments {
  const format = useFormatter();
  const now = useNow({ updateInterval: MINUTE_MS });
  return {
    moment: (at) => format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' }),
    exactly: (at) => format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'long' }),
    ago: (at) => format.relativeTime(new Date(Math.min(Date.parse(at), now.getTime())), now),
  };
}

/** A time relative to now, and to the second. */
export function Moment({ at, className }: { at: string; className?: string | undefined }) {
  const format = useFormatter();
  const { ago } = useMoments();
  return (
    <time dateTime={at} className={className}>
      {ago(at)}
      <span aria-hidden="true"> · </span>
      <span className="visually-hidden">, </span>
      {format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'medium' })}
    </time>
  );
}
