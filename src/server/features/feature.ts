import type { FEATURE_FIXED_SETTINGS, FEATURE_SETTINGS } from '../../features/names.ts';
import type { Access, Permission } from '../../domain/access.ts';
import type { MailLimits } from '../../domain/accounts/mail-limits.ts';
import type { MailBell } from '../../domain/mail/mail-bell.ts';
import type { FeatureMail } from '../../domain/mail/ports.ts';
import type { SiteRecords } from '../../domain/organisation/site-records.ts';
import type { PetHistory } from '../../domain/pets/pet-history.ts';
import type { PetCatalogue } from '../../domain/pets/pet-catalogue.ts';
import type { PetPhotos } from '../../domain/pets/pet-photos.ts';
import type { PetProfiles } from '../../domain/pets/pet-profiles.ts';
import type { PlaygroundLimits } from '../../domain/playgrounds/playground.ts';
import type { Clock, Signer } from '../../domain/ports.ts';
import type { PetSearch } from '../../domain/search/pet-search.ts';
import type { Synonyms } from '../../domain/search/synonyms.ts';
import type { Tracing } from '../../domain/tracing.ts';
import type { DatabaseStores } from '../../storage/rows/stores/stores.ts';
import type { FeatureRoutes } from '../../http/features/feature-routes.ts';
import type { tokens } from '../../services/crypto/secrets.ts';
import type { Logger } from '../log/log.ts';
import type { Family } from '../metrics/families.ts';
import type { ProcessRecords } from '../system/process-records.ts';

export type FlagsOfFeatures = Readonly<Record<(typeof FEATURE_SETTINGS)[number]['name'], string>>;

/** The settings of features: those with a flag as text, and fixed ones. */
export type FeatureSettings = FlagsOfFeatures & Readonly<typeof FEATURE_FIXED_SETTINGS>;

/** The parts of the core from which a feature composes its use cases. */
export interface FeatureCore extends DatabaseStores {
  access: Access;
  may: Permission;
  mailLimits: MailLimits;
  petSearch: PetSearch;
  bell: MailBell;
  tokens: typeof tokens;
  signer: Signer;
  tracing: Tracing | undefined;
  settings: FeatureSettings;
  clock: Clock;
}

/** A playground. Anyone may create one, so that it has limits. */
export interface FeaturePlayground<UseCases extends object> {
  limits: PlaygroundLimits;
  /** Counts a request to others with this body. @returns false if nothing more may be sent in this minute */
  takeTraffic(body: string): boolean;
  /** Those of its service, for what they share. */
  useCasesOfService: UseCases;
}

/** The use cases of the core that routes of features need as well. */
export interface CoreUseCases {
  catalogue: PetCatalogue;
  history: PetHistory;
  profiles: PetProfiles;
  petPhotos: PetPhotos;
  siteRecords: SiteRecords;
}

/** The parts of a node that background work uses. */
export interface FeatureNode {
  stores: DatabaseStores;
  synonyms: Synonyms;
  /** Undefined in a playground, which sends no e-mail. */
  bell: MailBell | undefined;
  settings: FeatureSettings;
  publicUrl: string | undefined;
  clock: Clock;
  log: Logger;
  records: Pick<ProcessRecords, 'beginJob'>;
}

/** Work that has begun. */
export interface FeatureWork {
  /** Whether a playground has to stay awake for it. */
  isBusy?(): Promise<boolean>;
  stop(): Promise<void>;
}

export interface FeatureMailer {
  stores: DatabaseStores;
  may: Permission;
  tokens: typeof tokens;
  clock: Clock;
  siteUrl: string;
}

/** The parts that a feature adds to the service. Everything but the use cases and routes is optional. */
export interface ServerFeature<UseCases extends object> {
  /** By names that no other feature has. */
  compose(core: FeatureCore, playground?: FeaturePlayground<UseCases>): UseCases;
  routesOf(useCases: UseCases & CoreUseCases, settings: FeatureSettings): FeatureRoutes;
  /** Prepares its messages when they are sent. */
  mailOf?(mailer: FeatureMailer): FeatureMail;
  /** Begins the background work of a node or a playground. */
  startWork?(node: FeatureNode, useCases: UseCases): FeatureWork | undefined;
  /** Closes what the use cases have opened, after the last request. */
  close?(useCases: UseCases): void;
  /** Deletes expired data: each step is run once an hour, by a name for the log. */
  clear?: Readonly<Record<string, (stores: DatabaseStores, nowMs: number, limit: number) => Promise<number>>>;
  /** The metrics of this process, and those that all nodes report alike. */
  readMetrics?(stores: DatabaseStores, useCases: UseCases): Promise<readonly Family[]>;
}
