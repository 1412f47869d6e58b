import type { Stamp } from '../../../domain/audit.ts';
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
  /** The mark (`markOf`) of the data that the files had. */
  sentMark: string | undefined;
  /** When an administrator asked for the next upload. */
  requestedAtMs: number | undefined;
  /** The process that uploads has this claim. */
  claimedUntilMs: number;
  /** The number of failed attempts since then. */
  attempts: number;
  failingSinceMs: number | undefined;
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
    sentMark: undefined,
    requestedAtMs: undefined,
    claimedUntilMs: 0,
    attempts: 0,
    failingSinceMs: undefined,
    nextAtMs: 0,
    error: undefined,
    failedAtMs: undefined,
  };
  return { site, isOn: false, changes: 0, keyDigest: undefined, keyCreatedAtMs: undefined, upload };
}

/** Identifies all that the files of a site depend on. @param version that of the last change of the database */
export function markOf(version: bigint, { changes }: Pick<Listing, 'changes'>): string {
  return `${version} ${changes}`;
}

/** A site that was never on gets nothing, so that it is not emptied. */
export function getsFiles({ isOn, upload }: Pick<Listing, 'isOn' | 'upload'>): boolean {
  return isOn || upload.sentDigest !== undefined;
}

/** Administrators get a message about a site to which uploads have failed for this time. */
export const REPORTED_AFTER_MS = 24 * 3_600_000;

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
  /** Adds pets to those in the files of a site, unless they are there already, and deletes others. */
  | { kind: 'list'; site: SiteId; added: readonly bigint[]; removed: readonly bigint[]; atMs: number }
  /** Has the files uploaded as soon as possible, also without a change. */
  | { kind: 'request'; site: SiteId; stamp: Stamp }
  | ClaimEnd;

/** Ends the claim that lasts until `untilMs`, and the requests up to the claim. */
type ClaimEnd = { site: SiteId; untilMs: number; startedAtMs: number; atMs: number } & (
  | { kind: 'sent'; pets: number; digest: string; mark: string }
  /** After `REPORTED_AFTER_MS`, the administrators with a confirmed address get a message, once. */
  | { kind: 'failed'; error: string; attempts: number; nextAtMs: number }
);

/** The pets in the files of a site, and when each was added. */
export type ListedSince = ReadonlyMap<bigint, number>;

export interface ListingStore {
  /** The site is off if nothing was ever stored of it. */
  find(site: SiteId): Promise<Listing>;
  /** The pets that are kept out of the listing of a site. */
  listUnlisted(site: SiteId): Promise<ReadonlySet<bigint>>;
  /** The pets that the files of a site had when they were last read or uploaded. */
  listListed(site: SiteId): Promise<ListedSince>;
  apply(change: ListingChange): Promise<number>;
}
