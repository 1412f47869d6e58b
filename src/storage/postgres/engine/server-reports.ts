import type { DatabaseServer, ReplayLag } from '../../../domain/health/database-servers.ts';
import type { Found } from './server-probe.ts';
import type { ServerPosition } from './server-state.ts';

/** An hour of looks. For a standby that is further behind, its own clock counts. */
const MAX_SAMPLES = 1800;

const DEFAULT_PORT = '5432';

/** Describes the servers of a database by their answers, for operators. */
export class ServerReports {
  readonly #names: readonly string[];
  /** Where the primary was at each look, if it had moved on since the one before. */
  #samples: { atMs: number; walBytes: number }[] = [];
  /** The server and the timeline of these samples. */
  #origin = '';
  servers: readonly DatabaseServer[] = [];
  /** The time of the last look. */
  atMs = -Infinity;

  constructor(serverUrls: readonly string[]) {
    this.#names = serverUrls.map(nameOf);
  }

  note(found: readonly Found[], positions: readonly (ServerPosition | undefined)[], nowMs: number): void {
    const primary = this.#notePrimary(positions, nowMs);
    this.atMs = nowMs;
    this.servers = this.#names.map((name, server) => {
      const state = found[server];
      const isReachable = state !== undefined && !('error' in state);
      const position = isReachable ? positions[server] : undefined;
      const isStandby = position?.isStandby ?? (isReachable && !state.isWritable);
      const role = isStandby ? 'standby' : 'primary';
      const lag =
        position?.isStandby === true && primary !== undefined ? this.#lagOf(position, primary, nowMs) : undefined;
      return { name, isReachable, role: isReachable ? role : undefined, timeline: position?.timeline, lag };
    });
  }

  /** @returns the position of the primary; of several, of the last promoted one */
  #notePrimary(positions: readonly (ServerPosition | undefined)[], nowMs: number): ServerPosition | undefined {
    let primary: ServerPosition | undefined;
    for (const position of positions)
      if (position?.isStandby === false && (primary === undefined || position.timeline > primary.timeline))
        primary = position;
    if (primary === undefined) return undefined;
    const { timeline, walBytes } = primary;
    const origin = `${positions.indexOf(primary)} ${timeline}`;
    if (origin !== this.#origin) this.#samples = [];
    this.#origin = origin;
    if (walBytes > (this.#samples.at(-1)?.walBytes ?? -1)) this.#samples.push({ atMs: nowMs, walBytes });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
    return primary;
  }

  /**
   * The time of the last replayed transaction says nothing about a standby of an idle primary, so positions are
   * compared first: a standby is as late as the first look at which the primary was ahead of where it is now.
   */
  #lagOf({ walBytes, sinceCommitSeconds }: ServerPosition, primary: ServerPosition, nowMs: number): ReplayLag {
    const bytes = Math.max(0, primary.walBytes - walBytes);
    if (bytes === 0) return { bytes, seconds: 0 };
    const missed = this.#samples.findIndex((sample) => sample.walBytes > walBytes);
    const seconds = (nowMs - (this.#samples[missed]?.atMs ?? nowMs)) / 1000;
    // It was behind at the first look already.
    return { bytes, seconds: missed === 0 ? Math.max(seconds, sinceCommitSeconds ?? 0) : seconds };
  }
}

/** Without user and password. */
export function nameOf(serverUrl: string): string {
  const { hostname, port } = new URL(serverUrl);
  return `${decodeURIComponent(hostname)}:${port || DEFAULT_PORT}`;
}
