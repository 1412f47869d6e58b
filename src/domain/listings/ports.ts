import type { Stamp } from '../audit.ts';
import type { SiteId } from './listing-site.ts';

/* The store of listing sites. `domain/ports.ts` has the rules for every store, and the errors of every call. */

/** The settings of one site, and the state of its uploads. */
export interface Listing {
  site: SiteId;
  /** A site that is off gets an empty file, so that no pet stays listed. */
  isOn: boolean;
  /** Counts the changes of what it gets besides the pets: by switching it, and by keeping pets out. */
  changes: number;
  keyDigest: string | undefined;
  keyCreatedAtMs: number | undefined;
  upload: UploadState;
}

export interface UploadState {
  /** The last upload that succeeded. */
  sentAtMs: number | undefined;
  sentPets: number;
  /** The digest of the files that were sent. */
  sentDigest: string | undefined;
  /** The number of failed attempts since then. */
  attempts: number;
  /** No attempt before this time. */
  nextAtMs: number;
  error: string | undefined;
  failedAtMs: number | undefined;
}

/** The listing of a site without a row. */
export function newListing(site: SiteId): Listing {
  const upload = {
    sentAtMs: undefined,
    sentPets: 0,
    sentDigest: undefined,
    attempts: 0,
    nextAtMs: 0,
    error: undefined,
    failedAtMs: undefined,
  };
  return { site, isOn: false, changes: 0, keyDigest: undefined, keyCreatedAtMs: undefined, upload };
}

/** Maximum number of pets that are kept out of the listing of one site. */
export const MAX_UNLISTED = 10_000;

/** Returns 1, or 0 if nothing was changed. */
export type ListingChange =
  | { kind: 'switch'; site: SiteId; isOn: boolean; stamp: Stamp }
  /** Replaces the key, or revokes it. */
  | { kind: 'set-key'; site: SiteId; digest: string | null; stamp: Stamp }
  /** Keeps a pet out of the listing, or lets it in. @throws Failure `conflict` at `MAX_UNLISTED` */
  | { kind: 'set-listed'; site: SiteId; petId: bigint; isListed: boolean; stamp: Stamp }
  /**
   * Claims the upload to a site for one process. A claim that ends more than twice `claimMs` in the future was made
   * with a wrong clock, and is ignored. Returns 0 if another process has it, or has just failed.
   */
  | { kind: 'claim'; site: SiteId; nowMs: number; claimMs: number }
  /** Keeps the claim that lasts until `untilMs` for longer. */
  | { kind: 'renew'; site: SiteId; untilMs: number; nextMs: number }
  /** Ends the claim that lasts until `untilMs`. */
  | { kind: 'sent'; site: SiteId; untilMs: number; atMs: number; pets: number; digest: string }
  | { kind: 'failed'; site: SiteId; untilMs: number; atMs: number; error: string; attempts: number; nextAtMs: number };

export interface ListingStore {
  /** The site is off if nothing was ever stored of it. */
  find(site: SiteId): Promise<Listing>;
  /** The pets that are kept out of the listing of a site. */
  listUnlisted(site: SiteId): Promise<ReadonlySet<bigint>>;
  apply(change: ListingChange): Promise<number>;
}
