import type { AccessMode } from '../domain/access.ts';
import type { ConnectionSettings } from './connections.ts';

export interface HttpSettings extends ConnectionSettings {
  access: AccessMode;
  /** The public URL of the service; undefined to derive it from each request. */
  publicUrl: string | undefined;
  corsOrigins: readonly string[];
  maxBodyBytes: number;
  maxPhotoBytes: number;
  /** Width times height of a photo. */
  maxPhotoPixels: number;
  /** An idle connection is closed after this time, unless its client waits for a response. */
  idleTimeoutMs: number;
  /** Time until the next request on a connection. */
  keepAliveTimeoutMs: number;
  /** Time for a whole request to arrive, uploads included. */
  requestTimeoutMs: number;
  headersTimeoutMs: number;
  /** SSE heartbeat interval. */
  eventHeartbeatMs: number;
  /** Maximum event streams of this process. */
  maxEventStreams: number;
  /** Maximum event streams from one address. */
  maxEventStreamsPerAddress: number;
}
