import type { FEATURE_SITE_RECORDS } from '../../features/names.ts';
import type { AuditAction, Stamp } from '../audit.ts';
import type { Photo } from '../photos/photo.ts';
import type { Awaitable } from '../ports.ts';
import type { Precondition } from '../precondition.ts';

/* The store of records of which a site has one each. `domain/ports.ts` has the rules for every store. */

export type SiteRecordKind = 'organisation' | 'own-fields' | 'mail-settings' | (typeof FEATURE_SITE_RECORDS)[number];

export interface SiteRecord {
  /** Counts the changes of this record from 1. It is the ETag. */
  version: bigint;
  /** JSON. */
  text: string;
  /** The digest of the stored photo to which the record refers. */
  photo: string | undefined;
  changedAtMs: number;
  /** The account of the author; undefined for the command line. */
  changedBy: bigint | undefined;
}

interface ChangeOfRecord {
  record: SiteRecordKind;
  precondition: Precondition | undefined;
  action: AuditAction;
  stamp: Stamp;
}

/**
 * A record is created by its first change; before that it has version 0.
 *
 * @throws Failure `precondition-failed`
 */
export type SiteRecordChange =
  | (ChangeOfRecord & { kind: 'put'; text: string })
  /**
   * Replaces or deletes the photo, in the same transaction as its entry in the index of photos.
   *
   * @throws Failure `unavailable` while the photo is claimed for deletion; `not-found` if there is none to be deleted
   */
  | (ChangeOfRecord & { kind: 'set-photo'; photo: Photo | undefined });

export interface SiteRecordStore {
  find(kind: SiteRecordKind): Awaitable<SiteRecord | undefined>;
  /** @returns the new version */
  apply(change: SiteRecordChange): Promise<bigint>;
}
