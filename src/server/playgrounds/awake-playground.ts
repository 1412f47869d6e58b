import type { Logger } from 'pino';
import type { PlaygroundAccess, PlaygroundLimits } from '../../domain/playgrounds/playground.ts';
import type { AccessMode } from '../../domain/access.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Synonyms } from '../../domain/search/synonyms.ts';
import { PLAYGROUND_SEGMENT } from '../../api/records/playgrounds/playground.ts';
import { EventStreams } from '../../http/events/event-streams.ts';
import type { HttpActivity } from '../../http/pipeline/http-activity.ts';
import type { NetworkTurns } from '../../http/pipeline/network-turns.ts';
import { sendToWebhooks } from '../../features/webhooks/server/webhook-sending.ts';
import type { Config } from '../configuration/config.ts';
import { compose, type SharedParts } from '../process/composition.ts';
import { openStoresInMemory, type Contents, type MemoryStores } from '../stores/memory-stores.ts';
import { ProcessRecords } from '../system/process-records.ts';
import { StagingInMemory, type PhotosInMemory } from '../../storage/memory/photo-store.ts';
import { AwakeSpace } from './awake-space.ts';
import { limitedStores } from './limited-stores.ts';
import type { PlaygroundMemory } from './memory.ts';
import { LimitedPhotoSource, LimitedSender, type OutgoingTraffic } from './outgoing-traffic.ts';

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
  /** For work with a copy of all data of a playground. */
  copyTurns: NetworkTurns;
  traffic: OutgoingTraffic;
  clock: Clock;
  log: Logger;
}

export interface PlaygroundPlace {
  token: string;
  network: string | undefined;
  memory: PlaygroundMemory;
  /** See `limitedStores`. */
  takePhoto: (bytes: number) => void;
  access: PlaygroundAccess;
  limits: PlaygroundLimits;
}

export type PlaygroundParts = AwakePlayground['parts'];

/** The stores and use cases of a playground between two resets. */
export class AwakePlayground {
  readonly #deps: PlaygroundDeps;
  readonly #config: Config;
  readonly #stores: MemoryStores;
  readonly #records: ProcessRecords;
  readonly #shared: SharedParts;
  readonly parts;
  /** Without limits. */
  readonly photos: PhotosInMemory;
  #stopSending: (() => Promise<void>) | undefined;

  constructor(contents: Contents, place: PlaygroundPlace, deps: PlaygroundDeps) {
    const { synonyms, clock, log } = deps;
    const { limits, memory, network, takePhoto, token } = place;
    const sender = new LimitedSender(deps.shared.sender, deps.traffic, network ?? token);
    const shared = { ...deps.shared, sender };
    this.#shared = shared;
    this.#deps = deps;
    this.#config = configOf(place, deps.config);
    this.#records = new ProcessRecords(clock);
    const opened = openStoresInMemory(contents, { synonyms, space: new AwakeSpace(memory) });
    this.photos = opened.photoStore;
    this.#stores = limitedStores(opened, limits, { takePhoto, onWebhook: () => this.#send() });
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
      staging: new StagingInMemory((bytes) => memory.take('uploads', bytes)),
      photoAddresses: new LimitedPhotoSource(composition.photoAddresses, deps.traffic, network ?? token),
      path: () => pathOf(token),
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
    const { clock, log } = this.#deps;
    const [stores, config, records] = [this.#stores, this.#config, this.#records];
    this.#stopSending ??= sendToWebhooks({ ...this.#shared, stores, config, clock, log, records });
  }
}

/** The path at which the playground is reached. */
export function pathOf(token: string): string {
  return `/${PLAYGROUND_SEGMENT}/${token}`;
}

/** Without anything of the service that is not shared: its places, settings, backups, mail, uploads and providers. */
function configOf(
  { token, access, limits }: Pick<PlaygroundPlace, 'token' | 'access' | 'limits'>,
  config: Config,
): Config {
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
    uploads: undefined,
    providers: [],
    settings: [],
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
