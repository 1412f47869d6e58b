/* The log of a node as an administrator reads it: the last hour, kept in memory. */

/** From the least to the most severe. */
export const LOG_ENTRY_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogEntryLevel = (typeof LOG_ENTRY_LEVELS)[number];

/** An entry of the log at level error or fatal, without the error's own message, which may contain data. */
export interface LoggedError {
  atMs: number;
  message: string;
  /** The name and the code of the error, or the reason. */
  detail?: string | undefined;
  /** The method and the path of the request, without values. */
  operation?: string | undefined;
  requestId?: string | undefined;
}

export interface LogEntry extends LoggedError {
  level: LogEntryLevel;
  /** Its other fields, such as `pets=20 users=11`. */
  fields?: string | undefined;
}

export interface LogFilter {
  /** The least severe level. */
  level?: LogEntryLevel | undefined;
  /** In any field of an entry, in upper or lower case. */
  text?: string | undefined;
  limit: number;
}

export const DEFAULT_LOG_ENTRIES = 200;
export const MAX_LOG_ENTRIES = 1000;

export interface RecentEntries {
  /** From then on, the entries are complete. */
  sinceMs: number;
  /** Newest first. */
  entries: readonly LogEntry[];
}
