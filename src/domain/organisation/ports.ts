import type { AuditAction, Stamp } from '../audit.ts';
import type { Awaitable } from '../ports.ts';
import type { Precondition } from '../precondition.ts';

/* The store of records of which a site has one each. `domain/ports.ts` has the rules for every store. */

export type SiteRecordKind = 'organisation' | 'own-fields';

export interface SiteRecord {
  /** Counts the changes of this record from 1. It is the ETag. */
  version: bigint;
  /** The JSON text of the record. */
  text: string;
  /** The digest of the stored photo to which the record refers. */
  photo: string | undefined;
  changedAtMs: number;
  /** The account of the author; undefined for the command line. */
  changedBy: bigint | undefined;
}

/**
 * Replaces the text of a record, which is created by its first change.
 *
 * @throws Failure `precondition-failed`; a record that does not exist has version 0
 */
export interface SiteRecordChange {
  kind: 'put';
  record: SiteRecordKind;
  text: string;
  precondition: Precondition | undefined;
  action: AuditAction;
  stamp: Stamp;
}

export interface SiteRecordStore {
  find(kind: SiteRecordKind): Awaitable<SiteRecord | undefined>;
  /** @returns the new version */
  apply(change: SiteRecordChange): Promise<bigint>;
}
