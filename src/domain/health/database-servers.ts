/** A server of the database, when it was last asked. */
export interface DatabaseServer {
  /** Host and port. */
  name: string;
  isReachable: boolean;
  /** Undefined if it does not say so. */
  role: 'primary' | 'standby' | undefined;
  /** The number of promotions up to now, in the history that it follows; undefined if it does not say so. */
  timeline: number | undefined;
  /** The lag of a standby; undefined without a primary to compare it with. */
  lag: ReplayLag | undefined;
}

/** The changes of the primary that a standby does not show yet. */
export interface ReplayLag {
  /** The size of their write-ahead log. */
  bytes: number;
  /** The age of the oldest of them. */
  seconds: number;
}

/** Reads the state of all servers, without waiting for one that does not respond. */
export type ReadDatabaseServers = () => Promise<readonly DatabaseServer[]>;
