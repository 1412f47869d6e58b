import type { Logger } from 'pino';
import { PlaygroundAdministration } from '../domain/playgrounds/playground-administration.ts';
import type { Synonyms } from '../domain/search/synonyms.ts';
import type { Config } from '../server/configuration/config.ts';
import type { FeatureWork } from '../server/features/feature.ts';
import { startFeatures } from '../server/features/features.ts';
import { Playgrounds } from '../server/playgrounds/playgrounds.ts';
import { compose, type Composition } from '../server/process/composition.ts';
import type { startServer } from '../server/process/server.ts';
import { openStoresInMemory, type Contents, type MemoryStores } from '../server/stores/memory-stores.ts';
import { ProcessRecords } from '../server/system/process-records.ts';
import { Replaceable } from './replaceable.ts';

interface Deps {
  config: Config;
  synonyms: Synonyms;
  log: Logger;
}

interface Generation {
  stores: MemoryStores;
  composition: Composition;
}

/** The stores and use cases of a service for tests, which a reset replaces, and its playgrounds, which it does not. */
export class TestParts {
  readonly #deps: Deps;
  readonly #replaceable: Replaceable<Generation>;
  readonly #works = new Map<MemoryStores, FeatureWork>();
  #current: Generation;
  #hasStarted = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#current = this.#open();
    this.#replaceable = new Replaceable(this.#current, async ({ stores }) => {
      await this.#works.get(stores)?.stop();
      this.#works.delete(stores);
      await stores.close();
    });
  }

  get stores(): MemoryStores {
    return this.#current.stores;
  }

  /** The parts that a server needs. */
  forServer(): Pick<Parameters<typeof startServer>[0], 'stores' | 'composition' | 'playgrounds'> {
    const { config, synonyms, log } = this.#deps;
    const { stores, composition } = this.#replaceable.parts;
    const { passwords } = this.#current.composition.accounts;
    const { imaging } = this.#current.composition;
    return {
      stores,
      composition: {
        ...composition,
        // The audit log is that of the current data.
        playgroundsOf: (playgroundHost) =>
          new PlaygroundAdministration({
            access: composition.accounts.access,
            audit: stores.audit,
            clock: Date.now,
            playgroundHost,
          }),
      },
      playgrounds: new Playgrounds({
        config,
        shared: { passwords, imaging },
        useCasesOfService: composition,
        synonyms,
        clock: Date.now,
        log,
      }),
    };
  }

  /** Begins the background work, such as the delivery of webhooks. */
  start(): void {
    this.#hasStarted = true;
    this.#work(this.#current);
  }

  replace(contents: Contents): void {
    this.#current = this.#open(contents);
    this.#replaceable.replace(this.#current);
    this.#work(this.#current);
  }

  close(): Promise<void> {
    return this.#replaceable.close();
  }

  #open(contents?: Contents): Generation {
    const { config, synonyms, log } = this.#deps;
    const stores = openStoresInMemory(contents, { synonyms });
    return { stores, composition: compose(stores, config, log, Date.now) };
  }

  #work({ stores, composition }: Generation): void {
    if (!this.#hasStarted) return;
    const { config, synonyms, log } = this.#deps;
    const { features: settings, http } = config;
    const records = new ProcessRecords(Date.now);
    const node = { stores, synonyms, bell: undefined, settings, publicUrl: http.publicUrl, clock: Date.now, log };
    this.#works.set(stores, startFeatures({ ...node, records }, composition));
  }
}
