import type { Access, Permission } from '../../domain/access.ts';
import type { MailLimits } from '../../domain/accounts/mail-limits.ts';
import type { MailBell } from '../../domain/mail/mail-bell.ts';
import type { FeatureMail } from '../../domain/mail/ports.ts';
import type { SiteRecords } from '../../domain/organisation/site-records.ts';
import type { PetHistory } from '../../domain/pets/pet-history.ts';
import type { PetCatalogue } from '../../domain/pets/pet-catalogue.ts';
import type { PetPhotos } from '../../domain/pets/pet-photos.ts';
import type { PetProfiles } from '../../domain/pets/pet-profiles.ts';
import type { Clock, Signer } from '../../domain/ports.ts';
import type { PetSearch } from '../../domain/search/pet-search.ts';
import type { Synonyms } from '../../domain/search/synonyms.ts';
import type { DatabaseStores } from '../../storage/rows/stores/stores.ts';
import type { FeatureRoutes } from '../../http/features/feature-routes.ts';
import type { tokens } from '../../services/crypto/secrets.ts';
import type { Logger } from '../log/log.ts';
import type { Family } from '../metrics/families.ts';
import type { ProcessRecords } from '../system/process-records.ts';

/** The parts of the core from which a feature composes its use cases. */
export interface FeatureCore extends DatabaseStores {
  access: Access;
  may: Permission;
  mailLimits: MailLimits;
  petSearch: PetSearch;
  /** Undefined if the service sends no e-mail. */
  bell: MailBell | undefined;
  tokens: typeof tokens;
  signer: Signer;
  clock: Clock;
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
  bell: MailBell | undefined;
  clock: Clock;
  log: Logger;
  records: Pick<ProcessRecords, 'beginJob'>;
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
  compose(core: FeatureCore): UseCases;
  /** @param settings those of features, by name */
  routesOf(useCases: UseCases & CoreUseCases, settings: Readonly<Record<string, string>>): FeatureRoutes;
  /** Prepares its messages when they are sent. */
  mailOf?(mailer: FeatureMailer): FeatureMail;
  /** Begins the background work of a node. @returns a function that ends it */
  startWork?(node: FeatureNode): () => Promise<void>;
  /** Deletes expired data: each step is run once an hour, by a name for the log. */
  clear?: Readonly<Record<string, (stores: DatabaseStores, nowMs: number, limit: number) => Promise<number>>>;
  /** The metrics of this process, and those that all nodes report alike. */
  readMetrics?(stores: DatabaseStores, useCases: UseCases): Promise<readonly Family[]>;
}
