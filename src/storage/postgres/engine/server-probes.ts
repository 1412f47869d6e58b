import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseServer } from '../../../domain/health/database-servers.ts';
import { CONNECT_TIMEOUT_MS, type DatabaseAddress } from './connection-url.ts';
import { Probe, type Found } from './server-probe.ts';
import { nameOf, ServerReports } from './server-reports.ts';
import type { ServerState } from './server-state.ts';

/** Older descriptions are renewed before they are read. Longer than a look at a server that does not respond. */
const MAX_AGE_MS = 6000;
/** How long a reader of descriptions waits. */
const MAX_WAIT_MS = 2000;
/** Between two looks that show whether a standby catches up. */
const PAUSE_MS = 1000;

/** Asks all servers of a database, one probe for each. */
export class ServerProbes {
  readonly #probes: readonly Probe[];
  readonly #reports: ServerReports;
  #noted = Promise.resolve();
  #isClosed = false;

  /** @param areKept whether the connections stay open for the next question */
  constructor(serverUrls: readonly string[], timeoutMs: number, areKept: boolean) {
    this.#probes = serverUrls.map((url) => new Probe(url, timeoutMs, areKept));
    this.#reports = new ServerReports(serverUrls);
  }

  get count(): number {
    return this.#probes.length;
  }

  async askAll(): Promise<readonly Found[]> {
    const found = await Promise.all(this.#probes.map((probe) => probe.ask()));
    this.#noted = this.#note(found);
    return found;
  }

  lastStateOf(server: number): ServerState | undefined {
    return this.#probes[server]?.lastState;
  }

  /** The servers as they were some seconds ago. */
  async read(): Promise<readonly DatabaseServer[]> {
    if (!this.#isClosed && performance.now() - this.#reports.atMs > MAX_AGE_MS)
      await Promise.race([this.readNow(), delay(MAX_WAIT_MS, undefined, { ref: false })]);
    return this.#reports.servers;
  }

  async readNow(): Promise<readonly DatabaseServer[]> {
    await this.askAll();
    await this.#noted;
    return this.#reports.servers;
  }

  close(): void {
    this.#isClosed = true;
    for (const probe of this.#probes) probe.close();
  }

  async #note(found: readonly Found[]): Promise<void> {
    const positions = await Promise.all(this.#probes.map((probe) => probe.position));
    this.#reports.note(found, positions, performance.now());
  }
}

/** Asks the servers of several addresses of one database when they are read. Needs no end. */
export function probesOf(addresses: readonly DatabaseAddress[], areKept = false): ServerProbes {
  const urls = new Map(addresses.flatMap(({ serverUrls }) => serverUrls.map((url) => [nameOf(url), url] as const)));
  const timeouts = addresses.map(({ connectTimeoutMs = CONNECT_TIMEOUT_MS }) => connectTimeoutMs);
  return new ServerProbes([...urls.values()], Math.max(...timeouts), areKept);
}

/** Asks the servers now, and again if a standby is behind: it may be catching up. */
export async function examineServers(addresses: readonly DatabaseAddress[]): Promise<readonly DatabaseServer[]> {
  const probes = probesOf(addresses, true);
  try {
    const servers = await probes.readNow();
    if (servers.every(({ lag }) => (lag?.bytes ?? 0) === 0)) return servers;
    await delay(PAUSE_MS);
    return await probes.readNow();
  } finally {
    probes.close();
  }
}
