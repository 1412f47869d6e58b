import type { Access, Actor } from '../../../domain/access.ts';
import type { Tokens } from '../../../domain/accounts/ports.ts';
import { stampOf } from '../../../domain/audit.ts';
import type { ChangeFeed } from '../../../domain/events/ports.ts';
import { Failure } from '../../../domain/failure.ts';
import { petNotFound } from '../../../domain/pets/pet-change.ts';
import type { PetStore } from '../../../domain/pets/ports.ts';
import type { Clock } from '../../../domain/ports.ts';
import { ALL_PETS, type PetCriteria } from '../../../domain/search/criteria.ts';
import type { MatchPosition } from '../../../domain/search/matches.ts';
import type { PetSearch } from '../../../domain/search/pet-search.ts';
import { FEED_KEY_PREFIX, type ListingFeeds, type SitePet } from './listing-feeds.ts';
import { SITE_IDS, type SiteId } from './listing-site.ts';
import { LISTING_SITES } from './listing-sites.ts';
import { getsFiles, markOf, type Listing, type ListingStore } from './ports.ts';

interface ListingAdministrationDeps {
  access: Access;
  listings: ListingStore;
  listingFeeds: Pick<ListingFeeds, 'listingPets'>;
  petSearch: Pick<PetSearch, 'search'>;
  changeFeed: Pick<ChangeFeed, 'lastVersion'>;
  /** Whether files are uploaded to the site. */
  hasUpload: (site: SiteId) => boolean;
  pets: Pick<PetStore, 'find'>;
  tokens: Tokens;
  clock: Clock;
}

/** `waiting`: something is not uploaded yet. Undefined for a site without uploads. */
export const UPLOAD_PHASES = ['done', 'waiting', 'running'] as const;
export type UploadPhase = (typeof UPLOAD_PHASES)[number];

export interface PhasedListing extends Listing {
  phase: UploadPhase | undefined;
}

/** A pet, and what one site will do with it. */
export interface JudgedPet extends SitePet {
  /** Whether staff lets the site have the pet. */
  isListed: boolean;
}

const NOT_ADOPTED: PetCriteria = { ...ALL_PETS, statuses: ['available', 'pending', 'none'], published: true };

/** The position after a pet, in the order by id. */
function positionOf(id: bigint): MatchPosition {
  return { id, rank: 0, addedVersion: 0, intakeDay: 0, nameKey: '' };
}

/** Administration of listing sites. Every operation requires the permission `administer`. */
export class ListingAdministration {
  readonly #deps: ListingAdministrationDeps;

  constructor(deps: ListingAdministrationDeps) {
    this.#deps = deps;
  }

  async list(actor: Actor): Promise<readonly PhasedListing[]> {
    this.#deps.access(actor, 'administer');
    return Promise.all(SITE_IDS.map((site) => this.#find(site)));
  }

  async #find(site: SiteId): Promise<PhasedListing> {
    const listing = await this.#deps.listings.find(site);
    return { ...listing, phase: await this.#phaseOf(listing) };
  }

  async #phaseOf(listing: Listing): Promise<UploadPhase | undefined> {
    const { changeFeed, clock, hasUpload } = this.#deps;
    const { site, upload } = listing;
    if (!hasUpload(site) || !getsFiles(listing)) return undefined;
    if (upload.claimedUntilMs > clock()) return 'running';
    const isSent = upload.sentMark === markOf(await changeFeed.lastVersion(), listing);
    return isSent && upload.requestedAtMs === undefined ? 'done' : 'waiting';
  }

  /** Has the files uploaded now. @throws Failure `conflict` if the site gets no uploads */
  async requestUpload(actor: Actor, site: SiteId): Promise<PhasedListing> {
    const { access, listings, clock, hasUpload } = this.#deps;
    access(actor, 'administer');
    if (!hasUpload(site))
      throw new Failure('conflict', 'The service uploads nothing to this site. Set the address of its server.');
    if (!getsFiles(await listings.find(site))) throw new Failure('conflict', 'Switch the site on first.');
    await listings.apply({ kind: 'request', site, stamp: stampOf(actor, clock()) });
    return this.#find(site);
  }

  async switch(actor: Actor, site: SiteId, isOn: boolean): Promise<PhasedListing> {
    const { access, listings, clock } = this.#deps;
    access(actor, 'administer');
    await listings.apply({ kind: 'switch', site, isOn, stamp: stampOf(actor, clock()) });
    return this.#find(site);
  }

  /** Replaces the key of a feed. @returns the new one, which is shown only once */
  async createKey(actor: Actor, site: SiteId): Promise<string> {
    const { access, listings, tokens, clock } = this.#deps;
    access(actor, 'administer');
    const key = FEED_KEY_PREFIX + tokens.create();
    await listings.apply({ kind: 'set-key', site, digest: tokens.digest(key), stamp: stampOf(actor, clock()) });
    return key;
  }

  async revokeKey(actor: Actor, site: SiteId): Promise<void> {
    const { access, listings, clock } = this.#deps;
    access(actor, 'administer');
    await listings.apply({ kind: 'set-key', site, digest: null, stamp: stampOf(actor, clock()) });
  }

  /**
   * A page of the pets that are public and not adopted, by ascending id, with what the site will not accept.
   * @returns them with the last ID of the page, unless it is the last one
   */
  async judgePets(
    actor: Actor,
    site: SiteId,
    { lastId, limit, origin }: { lastId: bigint; limit: number; origin: string },
  ): Promise<{ pets: readonly JudgedPet[]; last: bigint | undefined }> {
    const { access, listings, listingFeeds, petSearch, clock } = this.#deps;
    access(actor, 'administer');
    const unlisted = await listings.listUnlisted(site);
    const after = positionOf(lastId);
    const found = await petSearch.search(actor, NOT_ADOPTED, { after, limit, withProfiles: true });
    const stored = found.pets.map(({ profile, ...pet }) => ({ ...pet, profile: profile?.text ?? null }));
    const { rowOf } = LISTING_SITES[site];
    const pets: JudgedPet[] = [];
    for await (const pet of listingFeeds.listingPets(stored, origin))
      pets.push({ pet, ...rowOf(pet, clock()), isListed: !unlisted.has(pet.id) });
    return { pets, last: found.last?.id };
  }

  /** @throws Failure `not-found`; `conflict` if too many pets are kept out already */
  async setListed(actor: Actor, site: SiteId, petId: bigint, isListed: boolean): Promise<void> {
    const { access, listings, pets, clock } = this.#deps;
    access(actor, 'administer');
    if ((await pets.find(petId)) === undefined) throw petNotFound();
    await listings.apply({ kind: 'set-listed', site, petId, isListed, stamp: stampOf(actor, clock()) });
  }
}
