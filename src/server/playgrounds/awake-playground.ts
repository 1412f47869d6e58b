import type { Logger } from 'pino';
import type { PlaygroundAccess, PlaygroundLimits } from '../../domain/playgrounds/playground.ts';
import type { AccessMode } from '../../domain/access.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Synonyms } from '../../domain/search/synonyms.ts';
import { PLAYGROUND_SEGMENT } from '../../api/records/playgrounds/playground.ts';
import { EventStreams } from '../../http/events/event-streams.ts';
import type { HttpActivity } from '../../http/pipeline/http-activity.ts';
import type { NetworkTurns } from '../../http/pipeline/network-turns.ts';
import { sendToWebhooks } from '../background/webhook-sending.ts';
import type { Config } from '../configuration/config.ts';
import { compose, type SharedParts } from '../process/composition.ts';
import { openStoresInMemory, type Contents, type MemoryStores } from '../stores/memory-stores.ts';
import { ProcessRecords } from '../system/process-records.ts';
import { limitedStores } from './limited-stores.ts';

/** The memory of all playgrounds of a service. */
export interface MemoryUse {
  /** Of photos, without those of the samples. */
  photoBytes: number;
  /** Of everything else. */
  readonly otherBytes: number;
  readonly maxBytes: number;
}

/** What the application at the root shares with those of playgrounds, for event streams. */
export interface SharedStreaming {
  recordTurns: NetworkTurns;
  activity: HttpActivity;
}

/** What all playgrounds of a service share. */
export interface PlaygroundDeps extends SharedStreaming {
  config: Config;
  shared: SharedParts;
  synonyms: Synonyms;
  memory: MemoryUse;
  clock: Clock;
  log: Logger;
}

export interface PlaygroundPlace {
  /** As in `limitedStores`. */
  reserve: (bytes: number) => boolean;
  token: string;
  access: PlaygroundAccess;
  limits: PlaygroundLimits;
}

/** The parts of its application. */
export type PlaygroundParts = AwakePlayground['parts'];

const MAX_DATABASE_BYTES = 32 * 1024 * 1024;

/** The stores and use cases of a playground between two resets. */
export class AwakePlayground {
  readonly #deps: PlaygroundDeps;
  readonly #config: Config;
  readonly #stores: MemoryStores;
  readonly #records: ProcessRecords;
  readonly parts;
  #stopSending: (() => Promise<void>) | undefined;

  constructor(contents: Contents, place: PlaygroundPlace, deps: PlaygroundDeps) {
    const { synonyms, shared, clock, log } = deps;
    this.#deps = deps;
    this.#config = configOf(place, deps.config);
    this.#records = new ProcessRecords(clock);
    const opened = openStoresInMemory(contents, { synonyms, maxDatabaseBytes: MAX_DATABASE_BYTES });
    const { limits, reserve } = place;
    this.#stores = limitedStores(opened, limits, { reserve, onWebhook: () => this.#send() });
    const composition = compose(this.#stores, this.#config, log, clock, { records: this.#records, shared });
    const streams = new EventStreams({
      settings: this.#config.http,
      hub: composition.hub,
      turns: deps.recordTurns,
      authentication: composition.accounts.authentication,
      activity: deps.activity,
      log,
    });
    this.parts = {
      ...composition,
      ...composition.accounts,
      iterations: this.#stores.iterations,
      streams,
      path: () => pathOf(place.token),
    };
    void this.#sendIfAny();
  }

  get accessMode(): AccessMode {
    return this.#config.http.access;
  }

  contents(): Contents {
    return this.#stores.contents();
  }

  hasChanges(): boolean {
    return this.#stores.hasChanges();
  }

  databaseBytes(): number {
    return this.#stores.databaseBytes();
  }

  get stores(): MemoryStores {
    return this.#stores;
  }

  /** Whether webhooks still have to receive changes, or a delivery is retried. */
  async isSending(): Promise<boolean> {
    if (this.#stopSending === undefined) return false;
    const [webhooks, newest] = await Promise.all([this.#stores.webhooks.list(), this.#stores.changeFeed.lastVersion()]);
    return webhooks.some(
      ({ state, waiting, lastVersion }) => state === 'active' && (waiting > 0 || lastVersion < newest),
    );
  }

  /** Aborts deliveries. Its requests must have ended. */
  async close(): Promise<void> {
    this.parts.streams.stop();
    await this.#stopSending?.();
    await this.#stores.close();
  }

  async #sendIfAny(): Promise<void> {
    if ((await this.#stores.webhooks.list()).length > 0) this.#send();
  }

  #send(): void {
    const { shared, clock, log } = this.#deps;
    const [stores, config, records] = [this.#stores, this.#config, this.#records];
    this.#stopSending ??= sendToWebhooks({ ...shared, stores, config, clock, log, records });
  }
}

/** The path at which it is reached. */
export function pathOf(token: string): string {
  return `/${PLAYGROUND_SEGMENT}/${token}`;
}

/** Without anything of the service that is not shared: its places, settings, backups, mail and providers. */
function configOf({ token, access, limits }: Omit<PlaygroundPlace, 'reserve'>, config: Config): Config {
  const { http } = config;
  return {
    ...config,
    isEphemeral: true,
    dataDir: '',
    database: undefined,
    standby: undefined,
    bucket: undefined,
    backup: undefined,
    mail: undefined,
    providers: [],
    settings: [],
    workers: 1,
    http: {
      ...http,
      access: accessModeOf(access, http.access),
      publicUrl: http.publicUrl === undefined ? undefined : http.publicUrl + pathOf(token),
      maxEventStreams: limits.streams,
    },
  };
}

/** An open playground is reachable where its service is: in open access from this machine only. */
export function accessModeOf(access: PlaygroundAccess, ofService: AccessMode): AccessMode {
  if (access === 'secured') return 'secured';
  return ofService === 'open' ? 'open' : 'sandbox';
}
