import { mountApp, type MountedApp } from '../../http/mounted-app.ts';
import { FEATURE_SETTINGS_IN_TESTS } from '../../features/names.ts';
import type { FeatureSettings } from '../features/feature.ts';
import type { AppDeps } from '../../http/app.ts';
import type { Connections } from '../../http/pipeline/connections.ts';
import type { RawExchange } from '../../http/pipeline/mount.ts';
import type { AccessMode } from '../../domain/access.ts';
import { PlaygroundAdministration } from '../../domain/playgrounds/playground-administration.ts';
import { routesOfFeatures } from '../features/features.ts';
import { VERSION } from '../system/version.ts';
import type { AwakePlayground, PlaygroundDeps, PlaygroundParts } from './awake-playground.ts';
import { refusalOf } from './disturbances/disturbances.ts';
import { Following } from './following.ts';

/** Nothing is created. */
const NO_AUDIT = { apply: async () => 0 };

const NESTED = 'A playground has no playgrounds. Create them at the root of the service.';

/** What the application at the root has, and those of playgrounds share. */
export interface RootParts extends Pick<AppDeps, 'recordTurns' | 'activity' | 'web' | 'tracing'> {
  connections: Connections;
}

interface PlaygroundApp {
  following: Following<PlaygroundParts>;
  app: MountedApp;
}

/**
 * The applications of all playgrounds: one for each access mode, created with the first playground. One for each
 * playground would take three times the time and memory (measured).
 */
export class PlaygroundApps {
  readonly #deps: PlaygroundDeps;
  readonly #root: RootParts;
  readonly #apps = new Map<AccessMode, Promise<PlaygroundApp>>();
  readonly #ready = new Map<AccessMode, PlaygroundApp>();

  constructor(deps: PlaygroundDeps, root: RootParts) {
    this.#deps = deps;
    this.#root = root;
  }

  /** Prepares the application for a playground, which then is handled synchronously. */
  async prepare(playground: AwakePlayground): Promise<void> {
    const mode = playground.accessMode;
    if (this.#ready.has(mode)) return;
    const creating = this.#apps.get(mode) ?? this.#create(mode, playground.parts);
    this.#apps.set(mode, creating);
    this.#ready.set(mode, await creating);
  }

  handle(mode: AccessMode, parts: PlaygroundParts, exchange: RawExchange): void {
    const { following, app } = this.#ready.get(mode) as PlaygroundApp;
    following.run(parts, () => app.handle(exchange));
  }

  async close(): Promise<void> {
    const apps = await Promise.all(this.#apps.values());
    await Promise.all(apps.map(({ app }) => app.close()));
  }

  async #create(mode: AccessMode, first: PlaygroundParts): Promise<PlaygroundApp> {
    const { config, log, clock } = this.#deps;
    const { connections, ...root } = this.#root;
    const following = new Following(first);
    const { parts } = following;
    const app = await mountApp(
      { ...config.http, access: mode },
      {
        ...parts,
        ...root,
        features: routesOfFeatures(parts, inTests(config.features)),
        mount: { path: parts.path, connections },
        refusalOf,
        playgrounds: new PlaygroundAdministration({
          access: parts.access,
          audit: NO_AUDIT,
          clock,
          playgroundHost: NESTED,
        }),
        state: {
          version: VERSION,
          isReady: async () => true,
          searchState: async () => ({ state: 'ready', from: 'pets', ms: 0 }),
          backupHealth: () => undefined,
        },
        // Only the application at the root has a page with metrics.
        metrics: () => Promise.reject(new Error('A playground has no metrics of its own.')),
        log,
      },
    );
    return { following, app };
  }
}

/** Settings of features that are off stay so. */
function inTests(settings: FeatureSettings): FeatureSettings {
  const texts: ReadonlyMap<string, unknown> = new Map(Object.entries(settings));
  const changed = Object.entries(FEATURE_SETTINGS_IN_TESTS).filter(([name]) => texts.get(name) !== 'off');
  return { ...settings, ...Object.fromEntries(changed) };
}
