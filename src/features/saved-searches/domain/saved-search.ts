/*
 * Searches of visitors who get new matches by e-mail. A search has no account: whoever reads the mailbox confirms it,
 * stops it or keeps it for longer.
 */

const DAY_MS = 24 * 3_600_000;

export const SAVED_SEARCH_LIMITS = {
  ofAddress: 20,
  /** Each was sent one message, so an address gets at most as many in a day. */
  unconfirmedOfAddress: 5,
  total: 10_000,
  /** Pets that a message lists. */
  petsInMail: 20,
  /** An unconfirmed search is deleted after this time. */
  unconfirmedMs: DAY_MS,
  /** A search ends this long after the last click that confirmed it. */
  lifetimeMs: 365 * DAY_MS,
  /** The least time between two messages about one search. */
  betweenMailsMs: DAY_MS,
} as const;

export interface SavedSearch {
  id: string;
  email: string;
  language: string;
  /** The query of the search, in a fixed order. */
  search: string;
  createdAtMs: number;
  confirmedAtMs: number | undefined;
  endsAtMs: number;
  /** The changes up to this version have been compared with the search. */
  seenVersion: bigint;
  mailedAtMs: number | undefined;
}
