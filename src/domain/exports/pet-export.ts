import type { Actor, Permission } from '../access.ts';
import { readableEvents, type ChangeEvent } from '../events/change-event.ts';
import type { ChangeFeed } from '../events/ports.ts';
import type { Organisation } from '../organisation/organisation.ts';
import type { OwnField } from '../organisation/own-field.ts';
import type { SiteRecords } from '../organisation/site-records.ts';
import type { Awaitable, ListPage } from '../ports.ts';
import type { StoredPet } from '../pets/pet.ts';
import type { PetProfiles } from '../pets/pet-profiles.ts';
import type { IndexSource, SourcePet } from '../search/index-source.ts';

interface PetExportDeps {
  indexSource: Pick<IndexSource, 'listPets'>;
  changeFeed: ChangeFeed;
  may: Permission;
  profiles: Pick<PetProfiles, 'readerFor'>;
  siteRecords: Pick<SiteRecords, 'getOwnFields' | 'getOrganisation'>;
}

/** What an actor reads of an export. */
export interface ExportAudience {
  /** Whether it reads drafts and private fields. */
  isStaff: boolean;
  /** The own fields that it reads. */
  ownFields: readonly OwnField[];
  organisation: Organisation;
  /** Its part of the profile of a pet, as JSON. */
  profileText: (pet: SourcePet) => string;
}

/** The store returns fewer changes if their texts are long. */
const BATCH_SIZE = 100;

export class PetExport {
  readonly #deps: PetExportDeps;

  constructor(deps: PetExportDeps) {
    this.#deps = deps;
  }

  async audienceOf(actor: Actor): Promise<ExportAudience> {
    const { may, profiles, siteRecords } = this.#deps;
    const [read, { fields }, { organisation }] = await Promise.all([
      profiles.readerFor(actor),
      siteRecords.getOwnFields(actor),
      siteRecords.getOrganisation(),
    ]);
    return {
      isStaff: may(actor, 'write pets'),
      ownFields: fields,
      organisation,
      profileText: ({ version, profile }) => read({ version, text: profile }).text,
    };
  }

  /**
   * A page of all pets, by ascending id, with every committed change: an import matches its rows to them. It includes
   * drafts, which `visiblePets` leaves out: a page with fewer pets than its limit is the last one.
   */
  listPets({ afterId, limit }: ListPage): Awaitable<readonly SourcePet[]> {
    return this.#deps.indexSource.listPets(afterId + 1n, limit);
  }

  /**
   * The changes of pets that were committed before the call, in their order.
   * @param isStaff whether they include drafts, profiles and authors
   */
  async *listChanges(isStaff: boolean): AsyncGenerator<readonly ChangeEvent[], void, void> {
    const { changeFeed } = this.#deps;
    const last = await changeFeed.lastVersion();
    for (let after = 0n; after < last;) {
      const batch = await changeFeed.list(after, BATCH_SIZE);
      const end = batch.at(-1)?.version;
      // The database was restored to an earlier state.
      if (end === undefined) return;
      const ofPets = batch.filter(({ kind, version }) => kind === 'pet' && version <= last);
      yield readableEvents(ofPets, isStaff);
      after = end;
    }
  }
}

export function visiblePets<T extends StoredPet>(pets: readonly T[], { isStaff }: ExportAudience): readonly T[] {
  return isStaff ? pets : pets.filter(({ isDraft }) => !isDraft);
}
