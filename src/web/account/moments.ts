import { useFormatter, useNow } from 'use-intl';

const MINUTE_MS = 60_000;

interface Moments {
  /** To the minute. */
  moment: (at: string) => string;
  /** To the second. */
  exactly: (at: string) => string;
  /** How long ago it was. */
  ago: (at: string) => string;
}

/** Times of the service, in the language of the page and the time of the reader. */
export function useMoments(): Moments {
  const format = useFormatter();
  const now = useNow({ updateInterval: MINUTE_MS });
  return {
    moment: (at) => format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' }),
    exactly: (at) => format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'long' }),
    // The clock of the service may be ahead of ours.
    ago: (at) => format.relativeTime(new Date(Math.min(Date.parse(at), now.getTime())), now),
  };
}
