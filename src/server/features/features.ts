import { FEATURES } from '../../features/server.ts';
import type { FeatureMail } from '../../domain/mail/ports.ts';
import type { Clock } from '../../domain/ports.ts';
import type { DatabaseStores } from '../../storage/rows/stores/stores.ts';
import type { FeatureRoutes } from '../../http/features/feature-routes.ts';
import type { Family } from '../metrics/families.ts';
import type {
  CoreUseCases,
  FeatureCore,
  FeatureMailer,
  FeatureNode,
  FeaturePlayground,
  FeatureSettings,
  FeatureWork,
  ServerFeature,
} from './feature.ts';

/* All features together, as the core uses them. */

type All<T> = (T extends unknown ? (each: T) => void : never) extends (all: infer I) => void ? I : never;

export type FeatureUseCases = object & All<ReturnType<(typeof FEATURES)[number]['compose']>>;

const ALL: readonly ServerFeature<object>[] = FEATURES;

export function composeFeatures(core: FeatureCore, playground?: FeaturePlayground<FeatureUseCases>): FeatureUseCases {
  return Object.assign({}, ...ALL.map((feature) => feature.compose(core, playground))) as FeatureUseCases;
}

export function routesOfFeatures(
  useCases: FeatureUseCases & CoreUseCases,
  settings: FeatureSettings,
): readonly FeatureRoutes[] {
  return ALL.map((feature) => feature.routesOf(useCases, settings));
}

export function mailOfFeatures(mailer: FeatureMailer): FeatureMail {
  return Object.assign({}, ...ALL.map((feature) => feature.mailOf?.(mailer))) as FeatureMail;
}

/** Begins the background work of a node or a playground. */
export function startFeatures(node: FeatureNode, useCases: FeatureUseCases): Required<FeatureWork> {
  const works = ALL.flatMap((feature) => feature.startWork?.(node, useCases) ?? []);
  return {
    async isBusy() {
      const answers = await Promise.all(works.map(async (work) => work.isBusy?.()));
      return answers.includes(true);
    },
    async stop() {
      await Promise.all(works.map((work) => work.stop()));
    },
  };
}

/** Closes what the use cases have opened, after the last request. */
export function closeFeatures(useCases: FeatureUseCases): void {
  for (const feature of ALL) feature.close?.(useCases);
}

/** The steps that delete expired data, by what they delete. */
export function clearingOfFeatures(stores: DatabaseStores, clock: Clock) {
  const steps = ALL.flatMap(({ clear = {} }) => Object.entries(clear));
  return Object.fromEntries(
    steps.map(([what, step]) => [what, (limit: number) => step(stores, clock(), limit)] as const),
  );
}

/** While the database is unavailable, those of a feature are absent. */
export async function metricsOfFeatures(stores: DatabaseStores, useCases: FeatureUseCases): Promise<readonly Family[]> {
  const reads = ALL.flatMap((feature) => feature.readMetrics?.(stores, useCases).catch(() => []) ?? []);
  return (await Promise.all(reads)).flat();
}
