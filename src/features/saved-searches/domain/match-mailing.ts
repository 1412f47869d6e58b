import type { ChangeFeed } from '../../../domain/events/ports.ts';
import type { MailBell } from '../../../domain/mail/mail-bell.ts';
import { whileClaimed, type ClaimRenewal } from '../../../domain/held-claim.ts';
import type { PetCriteria } from '../../../domain/search/criteria.ts';
import type { IndexSource } from '../../../domain/search/index-source.ts';
import { NewMatches } from './new-matches.ts';
import { isNewMatch, isOpen, QUIET_MS, seenVersionOf, settledAtMs, type PetRun } from './pet-run.ts';
import type { Synonyms } from '../../../domain/search/synonyms.ts';
import type { SavedSearchStore } from './ports.ts';
import type { SavedSearch } from './saved-search.ts';

interface MatchMailingDeps extends ClaimRenewal {
  savedSearches: SavedSearchStore;
  changeFeed: Pick<ChangeFeed, 'lastVersion'>;
  source: Pick<IndexSource, 'listChanges'>;
  synonyms: Synonyms;
  /** @throws Failure for a search that a later version of the service does not know */
  criteriaOf: (search: string) => PetCriteria;
  bell: MailBell;
  /** Lets other work of the thread run. */
  pause: () => Promise<void>;
}

/** Searches that one run looks at. */
const BATCH = 1000;

const CHANGES = 1000;

/** The least time between two looks: each compares the changes of pets that are not quiet yet once more. */
const NEXT_LOOK_MS = 60_000;

/** A search that is compared with changes. */
interface Looked extends Pick<SavedSearch, 'id' | 'seenVersion'> {
  criteria: PetCriteria;
  pets: Map<bigint, PetRun>;
}

interface Claim {
  claimed: readonly SavedSearch[];
  untilMs: number;
  version: bigint;
}

/** Compares saved searches with the changes of pets, and queues a message about new matches once they are quiet. */
export class MatchMailing {
  readonly #deps: MatchMailingDeps;

  constructor(deps: MatchMailingDeps) {
    this.#deps = deps;
  }

  /** Looks at the searches that are due, until none is left. */
  async run(signal: AbortSignal): Promise<void> {
    const { savedSearches, changeFeed, clock, claimMs } = this.#deps;
    while (!signal.aborted) {
      const nowMs = clock();
      const version = await changeFeed.lastVersion();
      if (!(await savedSearches.hasDue(nowMs, version))) return;
      const untilMs = nowMs + claimMs;
      const claimed = await savedSearches.apply({ kind: 'claim', nowMs, untilMs, version, limit: BATCH });
      if (claimed.length === 0) return;
      await this.#look({ claimed, untilMs, version }, signal);
    }
  }

  async #look({ claimed, version, ...claim }: Claim, signal: AbortSignal): Promise<void> {
    const { bell, clock, savedSearches } = this.#deps;
    const ids = claimed.map(({ id }) => id);
    const renew = async (untilMs: number, nextMs: number) =>
      (await savedSearches.apply({ kind: 'renew', ids, untilMs, nextMs })).length > 0;
    const searches = claimed.flatMap(({ id, seenVersion, search }) => this.#looked({ id, seenVersion }, search));
    const { result: isFollowed, untilMs } = await whileClaimed(this.#deps, { ...claim, renew }, (lost) =>
      this.#follow(searches, version, AbortSignal.any([signal, lost])),
    );
    // After the claim, any process may compare these searches again.
    if (!isFollowed) return;
    for (const { id, pets } of searches) {
      const nowMs = clock();
      const outcome = outcomeOf(pets, version, nowMs);
      const mailed = await savedSearches.apply({ kind: 'looked', id, untilMs, nowMs, ...outcome });
      if (mailed.length > 0) bell.ring();
    }
  }

  /** Nothing for a search that cannot be read: after the claim, a node of a later version can compare it. */
  #looked(search: Pick<Looked, 'id' | 'seenVersion'>, text: string): readonly Looked[] {
    try {
      return [{ ...search, criteria: this.#deps.criteriaOf(text), pets: new Map() }];
    } catch {
      return [];
    }
  }

  /** @returns whether all changes were compared */
  async #follow(searches: readonly Looked[], version: bigint, signal: AbortSignal): Promise<boolean> {
    const { source, synonyms, clock, pause } = this.#deps;
    let from = searches.reduce((least, { seenVersion }) => (seenVersion < least ? seenVersion : least), version);
    while (from < version && !signal.aborted) {
      const { changes } = await source.listChanges(from, CHANGES);
      const known = changes.filter((change) => change.version <= version);
      const matches = await NewMatches.of(known, synonyms, pause);
      for (const { criteria, pets, seenVersion } of searches) {
        matches.follow(pets, criteria, seenVersion, clock());
        await pause();
      }
      from = changes.length < CHANGES ? version : (changes.at(-1)?.version ?? version);
    }
    return !signal.aborted;
  }
}

/**
 * The quiet pets that are new matches, and when to look again. Changes that are not settled are compared again: a pet
 * that is reported twice is mailed once.
 */
function outcomeOf(pets: ReadonlyMap<bigint, PetRun>, version: bigint, nowMs: number) {
  const petIds: bigint[] = [];
  // A pet that changes from now on is not quiet before.
  let nextAtMs = nowMs + QUIET_MS;
  for (const [petId, run] of pets) {
    if (!isOpen(run, nowMs)) {
      if (isNewMatch(run)) petIds.push(petId);
      continue;
    }
    nextAtMs = Math.min(nextAtMs, Math.max(settledAtMs(run), nowMs + NEXT_LOOK_MS));
  }
  return { petIds, version: seenVersionOf([...pets.values()], version, nowMs), nextAtMs };
}
