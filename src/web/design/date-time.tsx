import { useFormatter, useNow } from 'use-intl';

const MINUTE_MS = 60_000;

interface DateTimeFormats {
  /** To the minute. */
  dateTime: (at: string) => string;
  /** To the second, with the time zone. */
  exactDateTime: (at: string) => string;
  /** Relative to now, and never in the future: the clock of the service may be ahead of the user's. */
  relativeTime: (at: string) => string;
}

/** Formats times in the language and time zone of the user. */
export function useDateTimeFormats(): DateTimeFormats {
  const format = useFormatter();
  const now = useNow({ updateInterval: MINUTE_MS });
  return {
    dateTime: (at) => format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' }),
    exactDateTime: (at) => format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'long' }),
    relativeTime: (at) => format.relativeTime(new Date(Math.min(Date.parse(at), now.getTime())), now),
  };
}

/** A time relative to now, and to the second. */
export function DateTime({ at, className }: { at: string; className?: string | undefined }) {
  const format = useFormatter();
  const { relativeTime } = useDateTimeFormats();
  return (
    <time dateTime={at} className={className}>
      {relativeTime(at)}
      <span aria-hidden="true"> · </span>
      <span className="visually-hidden">, </span>
      {format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'medium' })}
    </time>
  );
}
