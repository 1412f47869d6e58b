import { publicEvent, type ChangeEvent } from '../events/change-event.ts';
import type { ChangeFeed } from '../events/ports.ts';
import type { Awaitable, ListPage } from '../ports.ts';
import type { IndexSource } from '../search/index-source.ts';
import type { StoredPet } from '../pets/pet.ts';

interface PetExportDeps {
  indexSource: Pick<IndexSource, 'listPets'>;
  changeFeed: ChangeFeed;
}

/** The store returns fewer changes if their texts are long. */
const BATCH_SIZE = 100;

/** Reads all pets, and all changes. Both are public, as lists and events are. */
export class PetExport {
  readonly #deps: PetExportDeps;

  constructor(deps: PetExportDeps) {
    this.#deps = deps;
  }

  /** A page of all pets, by ascending id, with every committed change: an import matches its rows to them. */
  listPets({ afterId, limit }: ListPage): Awaitable<readonly StoredPet[]> {
    return this.#deps.indexSource.listPets(afterId + 1n, limit);
  }

  /**
   * The changes of pets that were committed before the call, in their order.
   * @param isStaff whether they include drafts and private fields
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
      yield isStaff ? ofPets : ofPets.map(publicEvent).filter((event) => event !== undefined);
      after = end;
    }
  }
}
