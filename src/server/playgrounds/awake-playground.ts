import type { Logger } from 'pino';
import type { PlaygroundAccess, PlaygroundLimits } from '../../domain/playgrounds/playground.ts';
import type { AccessMode } from '../../domain/access.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Synonyms } from '../../domain/search/synonyms.ts';
import { PLAYGROUND_SEGMENT } from '../../api/records/playgrounds/playground.ts';
import { EventStreams } from '../../http/events/event-streams.ts';
import type { HttpActivity } from '../../http/pipeline/http-activity.ts';
import type { NetworkTurns } from '../../http/pipeline/network-turns.ts';
import type { Config } from '../configuration/config.ts';
import type { FeatureWork } from '../features/feature.ts';
import { startFeatures, type FeatureUseCases } from '../features/features.ts';
import { compose, type SharedParts } from '../process/composition.ts';
import { openStoresInMemory, type Contents, type MemoryStores } from '../stores/memory-stores.ts';
import { ProcessRecords } from '../system/process-records.ts';
import { StagingInMemory, type PhotosInMemory } from '../../storage/memory/photo-store.ts';
import { AwakeSpace } from './awake-space.ts';
import { limitedStores } from './limited-stores.ts';
import type { PlaygroundMemory } from './memory.ts';
import { LimitedPhotoSource, type OutgoingTraffic } from './outgoing-traffic.ts';

/** What the application at the root shares with those of playgrounds, for event streams. */
export interface SharedStreaming {
  recordTurns: NetworkTurns;
  activity: HttpActivity;
}

/** What all playgrounds of a service share. */
export interface PlaygroundDeps extends SharedStreaming {
  config: Config;
  shared: SharedParts;
  useCasesOfService: FeatureUseCases;
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
  readonly #config: Config;
  readonly #stores: MemoryStores;
  readonly #work: Required<FeatureWork>;
  readonly parts;
  /** Without limits. */
  readonly photos: PhotosInMemory;

  constructor(contents: Contents, place: PlaygroundPlace, deps: PlaygroundDeps) {
    const { clock, log, shared, synonyms, traffic, useCasesOfService } = deps;
    const { limits, memory, network, takePhoto, token } = place;
    const owner = network ?? token;
    this.#config = configOf(place, deps.config);
    const records = new ProcessRecords(clock);
    const opened = openStoresInMemory(contents, { synonyms, space: new AwakeSpace(memory) });
    this.photos = opened.photoStore;
    const stores = limitedStores(opened, limits, takePhoto);
    this.#stores = stores;
    const takeTraffic = (body: string) => traffic.takeBody(owner, body);
    const playground = { limits, takeTraffic, useCasesOfService };
    const composition = compose(stores, this.#config, log, clock, { records, shared, playground });
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
      iterations: stores.iterations,
      streams,
      staging: new StagingInMemory((bytes) => memory.take('uploads', bytes)),
      photoAddresses: new LimitedPhotoSource(composition.photoAddresses, traffic, owner),
      path: () => pathOf(token),
    };
    const { features: settings, http } = this.#config;
    const node = { stores, synonyms, bell: undefined, settings, publicUrl: http.publicUrl, clock, log, records };
    this.#work = startFeatures(node, composition);
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

  /** Whether its background work has something to do. */
  isBusy(): Promise<boolean> {
    return this.#work.isBusy();
  }

  /** Ends its background work. Its requests must have ended. */
  async close(): Promise<void> {
    this.parts.streams.stop();
    await this.#work.stop();
    await this.#stores.close();
  }
}

/** The path at which the playground is reached. */
export function pathOf(token: string): string {
  return `/${PLAYGROUND_SEGMENT}/${token}`;
}

/** Without anything of the service that is not shared: its places, settings, backups, mail and providers. */
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
