import type { ChangeFeed } from '../events/ports.ts';
import type { MailBell } from '../mail/mail-bell.ts';
import type { Clock } from '../ports.ts';
import type { PetCriteria } from '../search/criteria.ts';
import type { IndexSource } from '../search/index-source.ts';
import { NewMatches } from '../search/new-matches.ts';
import type { Synonyms } from '../search/synonyms.ts';
import type { SavedSearchStore } from './ports.ts';
import { SAVED_SEARCH_LIMITS, type SavedSearch } from './saved-search.ts';

interface MatchMailingDeps {
  savedSearches: SavedSearchStore;
  changeFeed: Pick<ChangeFeed, 'lastVersion'>;
  source: Pick<IndexSource, 'listChanges'>;
  synonyms: Synonyms;
  /** @throws Failure for a search that a later version of the service does not know */
  criteriaOf: (search: string) => PetCriteria;
  bell: MailBell;
  clock: Clock;
  /** How long another process leaves claimed searches alone: longer than a run takes. */
  claimMs: number;
  /** Lets other work of the thread run. */
  pause: () => Promise<void>;
}

/** Searches that one run looks at. */
const BATCH = 1000;

const CHANGES = 1000;

/** After a look without new matches. */
const NEXT_LOOK_MS = 60_000;

/** A search that is compared with changes. */
interface Looked extends Pick<SavedSearch, 'id' | 'seenVersion'> {
  criteria: PetCriteria;
  pets: Set<bigint>;
}

/** Compares saved searches with the changes of pets, and queues a message about new matches. */
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
      await this.#look(claimed, version, signal);
    }
  }

  async #look(claimed: readonly SavedSearch[], version: bigint, signal: AbortSignal): Promise<void> {
    const { bell, clock, savedSearches } = this.#deps;
    const searches = claimed.flatMap(({ id, seenVersion, search }) => this.#looked({ id, seenVersion }, search));
    await this.#follow(searches, version, signal);
    // After the claim, any process may compare these searches again.
    if (signal.aborted) return;
    for (const { id, seenVersion, pets } of searches) {
      const nowMs = clock();
      const petIds = [...pets];
      const nextAtMs = nowMs + (petIds.length > 0 ? SAVED_SEARCH_LIMITS.betweenMailsMs : NEXT_LOOK_MS);
      await savedSearches.apply({ kind: 'looked', id, seenVersion, version, petIds, nowMs, nextAtMs });
      if (petIds.length > 0) bell.ring();
    }
  }

  /** Nothing for a search that cannot be read: after the claim, a node of a later version can compare it. */
  #looked(search: Pick<Looked, 'id' | 'seenVersion'>, text: string): readonly Looked[] {
    try {
      return [{ ...search, criteria: this.#deps.criteriaOf(text), pets: new Set() }];
    } catch {
      return [];
    }
  }

  async #follow(searches: readonly Looked[], version: bigint, signal: AbortSignal): Promise<void> {
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
  }
}
