import type { QueuedMail } from '../../../domain/mail/mail.ts';
import type { StoredPet } from '../../../domain/pets/pet.ts';
import type { PetStore } from '../../../domain/pets/ports.ts';
import type { Clock } from '../../../domain/ports.ts';
import type { SavedSearchStore } from './ports.ts';
import { SAVED_SEARCH_LIMITS, type SavedSearch } from './saved-search.ts';

interface SearchMailDeps {
  savedSearches: SavedSearchStore;
  pets: Pick<PetStore, 'findMany' | 'findProfiles'>;
  tokens: { create(): string; digest(token: string): string };
  clock: Clock;
  siteUrl: string;
  /** The query of the page with the results. */
  pageQueryOf: (search: string) => string;
}

/** A pet that a message lists. */
interface ListedPet {
  name: string;
  species: string | undefined;
  url: string;
}

export interface ConfirmationContent {
  kind: 'confirmation';
  /** Confirms the search. */
  link: string;
  expiresAtMs: number;
}

export interface MatchesContent {
  kind: 'matches';
  /** A page that stops the search or keeps it for longer. */
  link: string;
  /** The URL with which mail programs stop it (RFC 8058). */
  oneClick: string;
  /** The page with all results. */
  results: string;
  /** When the search ends. */
  expiresAtMs: number;
  pets: readonly ListedPet[];
  /** The number of further pets. */
  more: number;
}

export type SearchMailContent = ConfirmationContent | MatchesContent;

/** The pages that links open; the token follows the #, which browsers do not send. */
export const PAGES = { confirm: '/confirm-search#', manage: '/manage-search#' } as const;

/** The token follows in the path, which mail programs send. */
export const STOP_PATH = '/stop-search/';

/** Writes the messages about saved searches when they are sent: links, and the pets as they are then. */
export class SearchMail {
  readonly #deps: SearchMailDeps;

  constructor(deps: SearchMailDeps) {
    this.#deps = deps;
  }

  /** @returns undefined if the message must not be sent any more */
  async contentOf(mail: QueuedMail): Promise<SearchMailContent | undefined> {
    const { kind, details } = mail;
    const search = await this.#searchOf(mail);
    if (search === undefined) return undefined;
    return kind === 'search-confirmation' ? this.#confirmationOf(search) : this.#matchesOf(search, details);
  }

  /** A request becomes a search when its message is sent. It has the ID of the message, which may be sent again. */
  async #searchOf({ id, recipient: email, details }: QueuedMail): Promise<SavedSearch | undefined> {
    const { savedSearches, clock } = this.#deps;
    const { query, language = 'en' } = details;
    if (query === undefined) return savedSearches.find(details['search'] ?? '');
    const search = { id, email, language, search: query };
    return (await savedSearches.apply({ kind: 'add', search, nowMs: clock() }))[0];
  }

  async #confirmationOf(search: SavedSearch): Promise<SearchMailContent | undefined> {
    const token = await this.#offer(search, 'confirm');
    if (token === undefined) return undefined;
    const expiresAtMs = search.createdAtMs + SAVED_SEARCH_LIMITS.unconfirmedMs;
    return { kind: 'confirmation', link: this.#pageOf('confirm', token), expiresAtMs };
  }

  async #matchesOf(search: SavedSearch, details: QueuedMail['details']): Promise<SearchMailContent | undefined> {
    const { siteUrl, pageQueryOf } = this.#deps;
    const ids = (details['pets'] ?? '').split(' ').filter((id) => id !== '');
    const pets = await this.#listedPets(ids.map(BigInt));
    // All were adopted or deleted since.
    if (pets.length === 0) return undefined;
    const token = await this.#offer(search, 'manage');
    if (token === undefined) return undefined;
    return {
      kind: 'matches',
      link: this.#pageOf('manage', token),
      oneClick: `${siteUrl}${STOP_PATH}${token}`,
      results: `${siteUrl}/?${pageQueryOf(search.search)}`,
      expiresAtMs: search.endsAtMs,
      pets,
      more: Number(details['more'] ?? 0),
    };
  }

  async #offer({ id }: SavedSearch, purpose: keyof typeof PAGES): Promise<string | undefined> {
    const { savedSearches, tokens, clock } = this.#deps;
    const token = tokens.create();
    const digest = tokens.digest(token);
    const offered = await savedSearches.apply({ kind: 'offer', id, purpose, digest, nowMs: clock() });
    return offered.length === 0 ? undefined : token;
  }

  #pageOf(purpose: keyof typeof PAGES, token: string): string {
    return `${this.#deps.siteUrl}${PAGES[purpose]}${token}`;
  }

  /** The pets that can be adopted now, in this order. */
  async #listedPets(ids: readonly bigint[]): Promise<readonly ListedPet[]> {
    const { pets, siteUrl } = this.#deps;
    const [found, profiles] = await Promise.all([pets.findMany(ids), pets.findProfiles(ids)]);
    const byId = new Map(found.map((pet) => [pet.id, pet]));
    return ids.flatMap((id) => {
      const pet = byId.get(id);
      if (pet === undefined || pet.isDraft) return [];
      const { name, status } = readPet(pet);
      if (status !== 'available') return [];
      const profile = profiles.get(id);
      return [{ name, species: profile && speciesIn(profile.text), url: `${siteUrl}/pets/${id}` }];
    });
  }
}

function readPet({ text }: StoredPet): { name: string; status?: string } {
  return JSON.parse(text) as { name: string; status?: string };
}

function speciesIn(text: string): string | undefined {
  return (JSON.parse(text) as { species?: string }).species;
}
