import type { AccessMode } from '../domain/access.ts';
import type { ConnectionSettings } from './connections.ts';

export interface HttpSettings extends ConnectionSettings {
  access: AccessMode;
  /** Where the service is reached, if that cannot be told from the requests. */
  publicUrl: string | undefined;
  corsOrigins: readonly string[];
  maxBodyBytes: number;
  maxPhotoBytes: number;
  /** Of one photo: its width times its height. */
  maxPhotoPixels: number;
  /** A connection on which nothing moves for this long is closed, unless its client waits for an answer. */
  idleTimeoutMs: number;
  /** How long a connection is kept for the next request. */
  keepAliveTimeoutMs: number;
  /** For the whole request to arrive; uploads included. */
  requestTimeoutMs: number;
  headersTimeoutMs: number;
  /** How often a client that follows events hears of us. */
  eventHeartbeatMs: number;
  /** So many follow events at a time, of this process. */
  maxEventStreams: number;
  /** And of these, so many from one address. */
  maxEventStreamsPerAddress: number;
}
