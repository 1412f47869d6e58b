import type { SessionLimits } from '../../domain/accounts/session.ts';
import type { HttpSettings } from '../../http/pipeline/settings.ts';

/* Values that suit every installation, and therefore have no flag. They are part of the config for tests. */

const SECOND_MS = 1000;

export const FIXED_HTTP = {
  /** Each takes a file descriptor and memory. For more clients, there are nodes. */
  maxConnections: 10_000,
  /** More than a company behind one address needs, and too few to take all connections. */
  maxConnectionsPerAddress: 2000,
  /** An open page has one. Without live changes, pages work as well. */
  maxEventStreams: 5000,
  /** nginx closes a response without traffic after 60 s, other proxies after 30 s. */
  eventHeartbeatMs: 15 * SECOND_MS,
  /** More would be over 160 MB of pixels with transparency, which a file of a few kilobytes can announce. */
  maxPhotoPixels: 40_000_000,
  /** A client that vanished no longer has its connection. */
  idleTimeoutMs: 60 * SECOND_MS,
  /** Against clients that send a byte at a time. */
  headersTimeoutMs: 20 * SECOND_MS,
  /** A body of 1 MiB arrives in time at 52 kB/s. */
  bodyTimeoutMs: 20 * SECOND_MS,
  /** A photo of 10 MiB arrives in time at 35 kB/s. */
  requestTimeoutMs: 300 * SECOND_MS,
} satisfies Partial<HttpSettings>;

/** 2,800 a second: only a program in an endless loop reaches it. */
export const FIXED_SESSIONS = { requestsPerHour: 10_000_000 } satisfies Partial<SessionLimits>;

/** With the last steps, a stop ends before the 30 s after which Kubernetes kills a process. */
export const STOP_TIMEOUT_MS = 20 * SECOND_MS;
