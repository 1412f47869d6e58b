import type { Access, Actor, Anonymous } from '../../../domain/access.ts';
import type { MailLimits } from '../../../domain/accounts/mail-limits.ts';
import { stampOf } from '../../../domain/audit.ts';
import { Failure, invalidInput } from '../../../domain/failure.ts';
import { ADDRESS_RULE, isMailAddress } from '../../../domain/mail/mail-address.ts';
import { noMail, type MailBell } from '../../../domain/mail/mail-bell.ts';
import type { MailStore } from '../../../domain/mail/ports.ts';
import type { Clock } from '../../../domain/ports.ts';
import type { PetCriteria } from '../../../domain/search/criteria.ts';
import type { PetSearch } from '../../../domain/search/pet-search.ts';
import type { SavedSearchStore } from './ports.ts';
import { SAVED_SEARCH_LIMITS, type SavedSearch } from './saved-search.ts';

interface SavedSearchesDeps {
  access: Access;
  savedSearches: SavedSearchStore;
  petSearch: Pick<PetSearch, 'search'>;
  mail: Pick<MailStore, 'apply'>;
  mailLimits: MailLimits;
  tokens: { digest(token: string): string };
  bell: MailBell;
  clock: Clock;
}

export interface NewSavedSearch {
  email: string;
  language: string;
  /** See `SavedSearch`. */
  search: string;
  criteria: PetCriteria;
}

/** Searches whose new matches are sent by e-mail. All throw Failure `conflict` if the service sends none. */
export class SavedSearches {
  readonly #deps: SavedSearchesDeps;

  constructor(deps: SavedSearchesDeps) {
    this.#deps = deps;
  }

  /**
   * Sends a link that confirms the search. The response and its timing are the same whatever is known of the address:
   * only the sender looks that up, and stores the search.
   *
   * @throws Failure `invalid-input`; `too-many-requests` for the network; `unavailable` if the service has too many
   *   searches
   */
  async add(actor: Anonymous, { criteria, email, language, search }: NewSavedSearch): Promise<void> {
    const { mail, mailLimits, petSearch, bell, clock } = this.#deps;
    this.#requireMail();
    mailLimits.requireAddress(email, '/email');
    // As a visitor: a search for an own field that only staff see is refused.
    await petSearch.search(visitorAt(actor), criteria, { after: undefined, limit: 1 });
    await this.#requireSpace();
    if (await mailLimits.spend('search-confirmation', email, actor)) {
      const details = { language, query: search };
      const request = { kind: 'search-confirmation', accountId: null, recipient: email, details } as const;
      await mail.apply({ kind: 'queue', mail: request, stamp: stampOf(actor, clock()) });
    }
    bell.ring();
  }

  /** Whether limits let the client save no search for now. */
  async isClosedFor(actor: Anonymous): Promise<boolean> {
    const { bell, mailLimits } = this.#deps;
    if (!bell.isOn) return false;
    const [hasSpace, hasRoom] = await Promise.all([this.#hasSpace(), mailLimits.hasRoom('search-confirmation', actor)]);
    return !hasSpace || !hasRoom;
  }

  async #requireSpace(): Promise<void> {
    if (await this.#hasSpace()) return;
    throw new Failure('unavailable', 'The service has too many saved searches.', { retryAfterSeconds: 3600 });
  }

  async #hasSpace(): Promise<boolean> {
    const { confirmed, unconfirmed } = await this.#deps.savedSearches.count();
    return confirmed + unconfirmed < SAVED_SEARCH_LIMITS.total;
  }

  /** Confirms a search, or keeps it for longer. @throws Failure `invalid-input` for an invalid link */
  async confirm(actor: Anonymous, token: string): Promise<SavedSearch> {
    const { savedSearches, tokens, clock } = this.#deps;
    this.#requireMail();
    const digest = tokens.digest(token);
    const [confirmed] = await savedSearches.apply({ kind: 'confirm', digest, stamp: stampOf(actor, clock()) });
    if (confirmed === undefined)
      throw new Failure('invalid-input', 'The link is invalid or has expired, or the search was stopped.');
    return confirmed;
  }

  /** Stops a search. Mail programs repeat the request, so a search that was stopped is no error. */
  async stop(actor: Anonymous, token: string): Promise<void> {
    const { savedSearches, tokens, clock } = this.#deps;
    await savedSearches.apply({ kind: 'stop', digest: tokens.digest(token), stamp: stampOf(actor, clock()) });
  }

  /** Requires the permission `administer`. */
  async list(actor: Actor, email: string): Promise<readonly SavedSearch[]> {
    this.#deps.access(actor, 'administer');
    return this.#deps.savedSearches.listOf(email);
  }

  /**
   * Deletes all searches of an address. Requires the permission `administer`.
   * @returns their number
   * @throws Failure `invalid-input` if it is no address
   */
  async erase(actor: Actor, email: string): Promise<number> {
    const { access, savedSearches, clock } = this.#deps;
    access(actor, 'administer');
    requireMailAddress(email);
    return (await savedSearches.apply({ kind: 'erase', email, stamp: stampOf(actor, clock()) })).length;
  }

  #requireMail(): void {
    if (!this.#deps.bell.isOn) throw noMail();
  }
}

/** @throws Failure `invalid-input` */
function requireMailAddress(email: string): void {
  if (!isMailAddress(email)) throw invalidInput([{ path: '/email', message: ADDRESS_RULE }]);
}

function visitorAt({ address }: Anonymous): Anonymous {
  return { kind: 'anonymous', address };
}
