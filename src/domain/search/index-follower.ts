import { BatchSize } from '../batches.ts';
import { MAX_INT64, MIN_INT64 } from '../int64.ts';
import type { ChangeMark, IndexSource, SourceChange, SourceChanges, SourcePet, SourceTexts } from './index-source.ts';
import { PetIndex, type PetIndexData } from './pet-index.ts';
import { traitsOf } from './pet-traits.ts';

/** Maximum number of pets or changes that are read together. */
const MAX_BATCH = 1000;

/** An index and the last change in it. */
export interface SavedIndex {
  last: ChangeMark | undefined;
  data: PetIndexData;
}

interface IndexFollowerDeps {
  source: IndexSource;
  /** Lets other work of the thread run. Called after each batch of pets, while the index is built. */
  pause: () => Promise<void>;
  /** Called when the index begins to be built, and after each batch of pets. */
  onProgress?: (progress: { done: number; of: number }) => void;
  /** Called if the index contradicts the database, before it is built again. */
  onDoubt?: (reason: string) => void;
}

/**
 * Keeps an index of the pets of a database. The index is derived: it is built from all pets, then changed by the
 * changes since. After any doubt it is built again, also if the database no longer has the last change in the index: it
 * was restored from a backup, or a standby that lacks it has become the primary.
 */
export class IndexFollower {
  readonly #deps: IndexFollowerDeps;
  readonly #changeBatch = new BatchSize(MAX_BATCH);
  #index = new PetIndex();
  #isLoaded = false;
  #isBehind = false;
  #last: ChangeMark | undefined;
  /** The version when all pets had been read: from here on, the index has exactly the pets of each version. */
  #builtVersion = 0n;
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(deps: IndexFollowerDeps) {
    this.#deps = deps;
  }

  get index(): PetIndex {
    return this.#index;
  }

  /** The version of the last change in the index; 0 if there was none. */
  get version(): bigint {
    return this.#last?.version ?? 0n;
  }

  /** Whether there are more changes than are read together, as after a bulk import without searches. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /**
   * Starts with a saved index, or builds one. After a failure, a call without one continues.
   * @param saved used, and so changed, from then on
   */
  async start(saved: SavedIndex | undefined): Promise<void> {
    if (saved !== undefined) {
      this.#index = new PetIndex(saved.data);
      this.#last = saved.last;
      this.#isLoaded = true;
    }
    await this.catchUp();
  }

  /**
   * Resolves when the index has every change that was committed before the call. Calls that wait together share one
   * read.
   */
  catchUp(): Promise<void> {
    if (this.#current === undefined)
      return (this.#current = this.#applyChanges().finally(() => (this.#current = undefined)));
    // The read in progress may have begun before the last commit.
    return (this.#next ??= this.#current
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.catchUp();
      }));
  }

  save(): SavedIndex {
    return { last: this.#last, data: this.#index.toData() };
  }

  /** Reads the pets in batches, each in its own state of the database, then the changes since the first. */
  async #build(): Promise<void> {
    const { source, pause, onProgress } = this.#deps;
    const index = new PetIndex();
    const count = await source.countPets();
    onProgress?.({ done: 0, of: count });
    const last = await source.lastChange();
    let done = 0;
    for await (const pets of readAhead(source)) {
      for (const pet of pets) index.append({ ...pet, traits: traitsOf(pet) });
      done += pets.length;
      onProgress?.({ done, of: Math.max(done, count) });
      await pause();
    }
    await index.complete(pause);
    const built = await source.lastChange();
    this.#index = index;
    this.#last = last;
    this.#builtVersion = built?.version ?? 0n;
    this.#isLoaded = true;
    await this.#applyChanges();
  }

  async #applyChanges(): Promise<void> {
    if (!this.#isLoaded) return this.#build();
    const doubt = await this.#followChanges().finally(() => (this.#isBehind = false));
    if (doubt === undefined) return;
    this.#deps.onDoubt?.(doubt);
    return this.#build();
  }

  /** @returns why the index cannot be trusted */
  async #followChanges(): Promise<string | undefined> {
    for (;;) {
      const limit = this.#changeBatch.count;
      const read = await this.#deps.source.listChanges(this.version, limit);
      this.#changeBatch.learn(
        read.changes.map(({ before, after }) => ({ text: wholeTextOf(before) + wholeTextOf(after) })),
      );
      const doubt = this.#applyAll(read);
      if (doubt !== undefined || read.changes.length < limit) return doubt;
      this.#isBehind = true;
      await this.#deps.pause();
    }
  }

  /** @returns why the index cannot be trusted */
  #applyAll({ at, changes }: SourceChanges): string | undefined {
    if (this.#last !== undefined && !isSame(this.#last, at))
      return `the last change in the index, ${textOf(this.#last)}, is not in the database`;
    for (const change of changes) {
      const doubt = this.#apply(change);
      if (doubt !== undefined) return doubt;
    }
    return undefined;
  }

  /** @returns why the index cannot be trusted */
  #apply(change: SourceChange): string | undefined {
    const { petId: id, version, previous, addedVersion, changedAtMs } = change;
    const slot = this.#index.find(id);
    const indexed = slot === undefined ? undefined : this.#index.versionOf(slot);
    // A pet that changed while the index was built may have been read after the change, also as deleted.
    if (indexed !== undefined && indexed >= version) return this.#reach(change);
    const isUnread = indexed === undefined && version <= this.#builtVersion;
    const before = isUnread ? undefined : findTraits(change.before);
    const traits = findTraits(change.after);
    if (indexed !== (before === undefined ? undefined : previous))
      return `pet ${id} is indexed in version ${indexed}, but its change ${version} follows ${previous}`;
    if (traits !== undefined) this.#index.put({ id, version, addedVersion, changedAtMs, traits }, before);
    else if (before !== undefined) this.#index.delete(id, before);
    return this.#reach(change);
  }

  #reach({ version, petId, changedAtMs }: ChangeMark): undefined {
    this.#last = { version, petId, changedAtMs };
  }
}

/** Undefined for a pet that does not exist. */
function findTraits({ text, profile }: SourceTexts) {
  return text === null ? undefined : traitsOf({ text, profile });
}

function wholeTextOf({ text, profile }: SourceTexts): string {
  return (text ?? '') + (profile ?? '');
}

function isSame(a: ChangeMark, b: ChangeMark | undefined): boolean {
  return a.version === b?.version && a.petId === b.petId && a.changedAtMs === b.changedAtMs;
}

function textOf({ version, petId }: ChangeMark): string {
  return `version ${version} of pet ${petId}`;
}

interface ReadBatch {
  limit: number;
  pets: readonly SourcePet[];
}

/** All pets in batches. The next one is requested before the caller takes this one: a server reads it meanwhile. */
async function* readAhead(source: IndexSource): AsyncGenerator<readonly SourcePet[]> {
  const batch = new BatchSize(MAX_BATCH);
  const read = async (fromId: bigint, limit: number) => ({ limit, pets: await source.listPets(fromId, limit) });
  let next: Promise<ReadBatch> | undefined = read(MIN_INT64, batch.count);
  while (next !== undefined) {
    const { limit, pets }: ReadBatch = await next;
    batch.learn(pets);
    const lastId = pets.at(-1)?.id ?? MAX_INT64;
    next = pets.length < limit || lastId === MAX_INT64 ? undefined : read(lastId + 1n, batch.count);
    // A failure is thrown when it is awaited, unless the caller has stopped before.
    next?.catch(() => {});
    yield pets;
  }
}
