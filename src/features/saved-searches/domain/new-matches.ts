import type { PetCriteria } from '../../../domain/search/criteria.ts';
import type { SourceChange, SourceTexts } from '../../../domain/search/index-source.ts';
import { matchesOf } from '../../../domain/search/matches.ts';
import { runAfter, type PetRun } from './pet-run.ts';
import { PetIndex } from '../../../domain/search/pet-index.ts';
import { traitsOf } from '../../../domain/search/pet-traits.ts';
import { listOf, NO_SLOTS } from '../../../domain/search/slots/slots.ts';
import { findSynonyms, type Synonyms } from '../../../domain/search/synonyms.ts';

/** Indexes of changed pets, each under the version of its change: as it was before, and as it is after. */
export class NewMatches {
  readonly #before = new PetIndex();
  readonly #after = new PetIndex();
  readonly #changes: readonly SourceChange[];
  readonly #synonyms: Synonyms;

  private constructor(changes: readonly SourceChange[], synonyms: Synonyms) {
    this.#changes = changes;
    this.#synonyms = synonyms;
  }

  /**
   * @param changes in the order of their versions
   * @param pause lets other work run
   */
  static async of(
    changes: readonly SourceChange[],
    synonyms: Synonyms,
    pause: () => Promise<void>,
  ): Promise<NewMatches> {
    const matches = new NewMatches(changes, synonyms);
    for (const [place, change] of changes.entries()) {
      append(matches.#before, change, change.before);
      append(matches.#after, change, change.after);
      if (place % CHANGES_PER_PAUSE === 0) await pause();
    }
    await matches.#before.complete(pause);
    await matches.#after.complete(pause);
    return matches;
  }

  /**
   * Follows the pets of a search through the changes after this version. Only available pets that are no drafts match,
   * whatever the criteria.
   */
  follow(pets: Map<bigint, PetRun>, criteria: PetCriteria, seenVersion: bigint, todayMs: number): void {
    const before = this.#matchingIn(this.#before, criteria, todayMs);
    const after = this.#matchingIn(this.#after, criteria, todayMs);
    for (const { petId, version, changedAtMs } of this.#changes) {
      if (version <= seenVersion) continue;
      const change = { version, changedAtMs, before: before.has(version), after: after.has(version) };
      const run = runAfter(pets.get(petId), change);
      if (run.hasMatched) pets.set(petId, run);
      else pets.delete(petId);
    }
  }

  /** The versions of the changes that match. Words are not corrected: so few pets have too few words for that. */
  #matchingIn(index: PetIndex, criteria: PetCriteria, todayMs: number): ReadonlySet<bigint> {
    if (index.count === 0) return NONE;
    const synonyms = findSynonyms(index, this.#synonyms, criteria.words, index.hidden(true));
    const searched = { ...criteria, ...MAILED, synonyms, todayMs };
    const versions = new Set<bigint>();
    for (const slot of listOf(matchesOf(index, searched) ?? NO_SLOTS)) versions.add(index.idOf(slot));
    return versions;
  }
}

const MAILED = { statuses: ['available'], published: true, sort: 'id' } as const satisfies Partial<PetCriteria>;

const NONE: ReadonlySet<bigint> = new Set();

/** A few milliseconds. */
const CHANGES_PER_PAUSE = 50;

function append(index: PetIndex, { version, changedAtMs }: SourceChange, { text, profile }: SourceTexts): void {
  if (text === null) return;
  index.append({ id: version, version, addedVersion: version, changedAtMs, traits: traitsOf({ text, profile }) });
}
