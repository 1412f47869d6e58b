import { Failure, isUnavailable } from '../../../domain/failure.ts';
import type { Tokens } from '../../../domain/accounts/ports.ts';
import { feeCurrencyOf, organisationIn, type Organisation } from '../../../domain/organisation/organisation.ts';
import { ownFieldsIn } from '../../../domain/organisation/own-field.ts';
import type { SiteRecordStore } from '../../../domain/organisation/ports.ts';
import { readPetText, tagNamesOf, type Pet } from '../../../domain/pets/pet.ts';
import { publicProfile, readProfileText, withFeeCurrency } from '../../../domain/pets/profile.ts';
import { digestOfOwnPhoto, pixelsIn } from '../../../domain/photos/photo.ts';
import type { PhotoIndex } from '../../../domain/photos/ports.ts';
import type { Clock } from '../../../domain/ports.ts';
import { BatchSize } from '../../../domain/batches.ts';
import type { IndexSource, SourcePet } from '../../../domain/search/index-source.ts';
import type { ListingPet, ListingPhoto } from './listing-pet.ts';
import { isRefused, type SiteId, type SiteRow } from './listing-site.ts';
import { LISTING_SITES } from './listing-sites.ts';
import type { ListingStore } from './ports.ts';

interface ListingFeedsDeps {
  listings: ListingStore;
  indexSource: Pick<IndexSource, 'listPets'>;
  photos: Pick<PhotoIndex, 'find'>;
  siteRecords: Pick<SiteRecordStore, 'find'>;
  markdownToText: (markdown: string) => Promise<string>;
  /** Lets other requests run: a pet takes up to a millisecond. */
  pause: () => Promise<void>;
  tokens: Pick<Tokens, 'digest'>;
  clock: Clock;
}

export interface SitePet extends SiteRow {
  pet: ListingPet;
}

/** `profile` is JSON; null without one. */
export type StoredListingPet = Pick<SourcePet, 'isDraft' | 'text' | 'profile' | 'changedAtMs'>;

export interface Listed {
  organisation: Organisation;
  /** Read when they are needed, by ascending id. */
  pets: AsyncIterable<readonly SitePet[]>;
}

interface Shown {
  publicKeys: ReadonlySet<string>;
  /** The currency of the organisation. */
  currency: string | undefined;
  origin: string;
  photos: readonly ListingPhoto[];
}

/** The prefix of the keys of feeds, by which secret scanners recognize them. */
export const FEED_KEY_PREFIX = 'mgf_';

/** Maximum number of pets in a listing; more are left out. */
export const MAX_LISTED = 50_000;

/** Reads what listing sites get of the pets: only what is public, whatever the permissions of the caller. */
export class ListingFeeds {
  readonly #deps: ListingFeedsDeps;

  constructor(deps: ListingFeedsDeps) {
    this.#deps = deps;
  }

  /**
   * @param key as in the URL of the feed
   * @param origin the URL at which the site reaches the service
   * @throws Failure `unauthenticated` for a wrong or revoked key
   */
  async open(site: SiteId, key: string, origin: string): Promise<Listed> {
    const { listings, tokens } = this.#deps;
    const { keyDigest } = await listings.find(site);
    if (keyDigest === undefined || tokens.digest(key) !== keyDigest)
      throw new Failure('unauthenticated', 'Missing, wrong or revoked key of this feed.');
    return this.read(site, origin);
  }

  /** Like `open`, without a key. */
  async read(site: SiteId, origin: string): Promise<Listed> {
    const organisation = organisationIn(await this.#deps.siteRecords.find('organisation'));
    return { organisation, pets: this.#listed(site, origin) };
  }

  async *#listed(site: SiteId, origin: string): AsyncGenerator<readonly SitePet[], void, void> {
    const { listings, clock } = this.#deps;
    const before = await listings.listListed(site);
    const nowMs = clock();
    const listed = new Set<bigint>();
    if ((await listings.find(site)).isOn)
      for await (const rows of this.#rows(site, origin, (id) => before.get(id) ?? nowMs)) {
        yield rows;
        for (const { pet } of rows) listed.add(pet.id);
      }
    // After the last pet: a reader that stops early does not know which pets have left.
    const added = [...listed].filter((id) => !before.has(id));
    const removed = [...before.keys()].filter((id) => !listed.has(id));
    if (added.length + removed.length === 0) return;
    await listings.apply({ kind: 'list', site, added, removed, atMs: nowMs }).catch((error: unknown) => {
      // The file is complete, and the next one stores it.
      if (!isUnavailable(error)) throw error;
    });
  }

  /** @param sinceOf when the pet was added to the files of the site */
  async *#rows(
    site: SiteId,
    origin: string,
    sinceOf: (id: bigint) => number,
  ): AsyncGenerator<readonly SitePet[], void, void> {
    const { listings, clock } = this.#deps;
    const unlisted = await listings.listUnlisted(site);
    const { rowOf } = LISTING_SITES[site];
    let left = MAX_LISTED;
    for await (const stored of this.#batches()) {
      const listed: SitePet[] = [];
      for await (const each of this.listingPets(stored, origin)) {
        if (unlisted.has(each.id)) continue;
        const pet = withStay(each, sinceOf(each.id));
        const row = { pet, ...rowOf(pet, clock()) };
        if (!isRefused(row)) listed.push(row);
      }
      yield listed.slice(0, left);
      left -= listed.length;
      if (left <= 0) return;
    }
  }

  async *#batches(): AsyncGenerator<readonly SourcePet[], void, void> {
    const { indexSource } = this.#deps;
    const size = new BatchSize();
    for (let fromId = 1n; ;) {
      const limit = size.count;
      const found = await indexSource.listPets(fromId, limit);
      size.learn(found.map(({ text, profile }) => ({ text: text + (profile ?? '') })));
      yield found;
      const last = found.at(-1);
      if (last === undefined || found.length < limit) return;
      fromId = last.id + 1n;
    }
  }

  /** The pets that the public sees and that are not adopted, as sites get them. */
  async *listingPets(stored: readonly StoredListingPet[], origin: string): AsyncGenerator<ListingPet, void, void> {
    const { siteRecords, pause } = this.#deps;
    const currency = feeCurrencyOf(organisationIn(await siteRecords.find('organisation')));
    const fields = ownFieldsIn(await siteRecords.find('own-fields'));
    const publicKeys = new Set(fields.filter(({ isPublic }) => isPublic).map(({ key }) => key));
    const shown = stored
      .filter(({ isDraft }) => !isDraft)
      .map((source) => ({ source, pet: readPetText(source.text) }))
      .filter(({ pet }) => pet.status !== 'sold');
    // Before the first pause, so that the database gets these reads together.
    const photos = await Promise.all(shown.map(({ pet }) => this.#photosOf(pet, origin)));
    for (const [index, { source, pet }] of shown.entries()) {
      yield this.#listingPet(source, pet, { publicKeys, currency, origin, photos: photos[index] ?? [] });
      await pause();
    }
  }

  async #listingPet(
    { profile, changedAtMs }: StoredListingPet,
    pet: Pet,
    { publicKeys, currency, origin, photos }: Shown,
  ): Promise<ListingPet> {
    const whole = withFeeCurrency(readProfileText(profile), currency);
    const shown = publicProfile(whole, (key) => publicKeys.has(key));
    return {
      id: pet.id,
      name: pet.name,
      url: `${origin}/pets/${pet.id}`,
      status: pet.status,
      category: pet.category?.name,
      tags: tagNamesOf(pet),
      profile: shown,
      lacksCurrency: whole.feeAmount !== shown.feeAmount,
      story: shown.description === undefined ? '' : await this.#deps.markdownToText(shown.description),
      photos,
      changedAtMs,
    };
  }

  async #photosOf({ photoUrls }: Pet, origin: string): Promise<readonly ListingPhoto[]> {
    return (await Promise.all(photoUrls.map((url) => this.#photo(url, origin)))).flat();
  }

  /** Sites get a photo once for each URL, so that of another content has another query. */
  async #photo(photoUrl: string, origin: string): Promise<readonly ListingPhoto[]> {
    const digest = digestOfOwnPhoto(photoUrl);
    if (digest === undefined) return [{ url: photoUrl, pixels: undefined }];
    const photo = await this.#deps.photos.find(digest);
    if (photo === undefined) return [];
    const url = `${origin}/v2/photo/${digest}/large?format=jpeg&v=${digest.slice(0, 12)}`;
    return [{ url, pixels: pixelsIn(photo, 'large') }];
  }
}

/**
 * The pet with other addresses of its photos in each stay on a list: sites get an address once, and may show nothing
 * under it for a pet that left and returned.
 */
function withStay(pet: ListingPet, sinceMs: number): ListingPet {
  const photos = pet.photos.map(({ url, pixels }) =>
    pixels === undefined ? { url, pixels } : { url: `${url}-${sinceMs.toString(36)}`, pixels },
  );
  return { ...pet, photos };
}
