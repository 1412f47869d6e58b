import type { AccessMode } from '../../domain/access.ts';
import type { ConnectionSettings } from './connections.ts';

export interface HttpSettings extends ConnectionSettings {
  access: AccessMode;
  /** The public URL of the service; undefined to derive it from the Host header of each request. */
  publicUrl: string | undefined;
  corsOrigins: readonly string[];
  /** Where to report vulnerabilities, as a URI. */
  securityContact: string | undefined;
  maxBodyBytes: number;
  maxPhotoBytes: number;
  /** Maximum width times height of a photo. */
  maxPhotoPixels: number;
  /** Time after which an idle connection is closed, unless its client waits for a response. */
  idleTimeoutMs: number;
  /** Maximum time for a whole request to arrive, including uploads. */
  requestTimeoutMs: number;
  headersTimeoutMs: number;
  /** SSE heartbeat interval. */
  eventHeartbeatMs: number;
  /** Maximum event streams of this process. */
  maxEventStreams: number;
  /** Maximum event streams from one address. */
  maxEventStreamsPerAddress: number;
}
