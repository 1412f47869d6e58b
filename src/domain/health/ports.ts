import { FEATURE_PROBLEMS, FEATURE_PROBLEMS_WITH_MAIL, FEATURE_PROBLEMS_WITHOUT_MAIL } from '../../features/names.ts';
import type { PhotoChange } from '../photos/ports.ts';
import type { SourcePet } from '../search/index-source.ts';
import type { Tally } from '../search/counts.ts';

const namesOf = <Problems extends object>(problems: Problems) => Object.keys(problems) as (keyof Problems)[];

/** Problems of rows of features that matter if the service sends e-mail, and if it does not. */
export const OF_FEATURES_WITH_MAIL = namesOf(FEATURE_PROBLEMS_WITH_MAIL);
export const OF_FEATURES_WITHOUT_MAIL = namesOf(FEATURE_PROBLEMS_WITHOUT_MAIL);

/** Problems of rows, each found and repaired by SQL alone. */
export const ROW_PROBLEMS = [
  'version-missing',
  'history-broken',
  'pet-outdated',
  'deletion-outdated',
  'added-version-wrong',
  'status-wrong',
  'orphaned-rows',
  'mail-dead',
  'mail-waiting',
  ...namesOf(FEATURE_PROBLEMS),
  'certificate-failing',
  ...OF_FEATURES_WITH_MAIL,
  ...OF_FEATURES_WITHOUT_MAIL,
  'audit-gap',
  'photo-use-wrong',
  'counter-low',
] as const;

export type RowProblem = (typeof ROW_PROBLEMS)[number];

/** The tables that repeat a list of the text of each pet: its tags and its photos. */
export type PetList = 'tags' | 'photos' | 'externalIds';

/** The stored texts of a pet, of which each may be damaged. */
export type CheckedPet = Pick<SourcePet, 'id' | 'version' | 'text' | 'profile'>;

/** A row of such a table. */
export interface PetListRow {
  /** The name of a tag, the digest of a photo, or an external id. */
  value: string;
  petId: bigint;
  /** The version of the pet in which the row was missing or superfluous; undefined if there is no such pet. */
  version: bigint | undefined;
}

export interface StoredAccount {
  id: bigint;
  username: string;
  /** May be none of `ROLES`. */
  role: string;
}

export interface StoredRecord {
  /** May be unknown. */
  kind: string;
  text: string;
}

export interface StoredCounts {
  /** The last version that the counts include. */
  version: bigint;
  /** By kind and name, as stored. */
  counts: ReadonlyMap<string, bigint>;
  /** The photos in use, counted by the same statement. */
  photos: number;
  photoBytes: number;
}

export interface UnknownPhoto {
  digest: string;
  /** Whether a pet or the organisation refers to it, nevertheless. */
  isReferenced: boolean;
}

/**
 * A database as `menagerie doctor` examines and repairs it, beside running servers. Each call sees one state of the
 * database, and each change is one transaction that leaves alone whatever was changed since the problem was found.
 * Every method may throw Failure `unavailable`.
 */
export interface DatabaseHealth {
  /** Descriptions of damage, as the engine reports it; at most a few. */
  findDamage(): Promise<readonly string[]>;
  /**
   * The names, as SQL needs them, of indexes that do not match their tables (SQLite), or that the server does not use
   * (PostgreSQL); at most a few.
   */
  findInvalidIndexes(): Promise<readonly string[]>;
  /** Builds indexes again. Undefined on PostgreSQL, where it cannot be a part of a transaction. */
  rebuildIndexes: ((names: readonly string[]) => Promise<void>) | undefined;
  findSchema(): Promise<{ version: number; known: number }>;
  /** Whether this is the target of an unfinished restore, or refuses changes since its final backup. */
  findCopyState(): Promise<'restore-unfinished' | 'retired' | undefined>;
  /** The records of which a site has one each. */
  listSiteRecords(): Promise<readonly StoredRecord[]>;
  findRows(problem: RowProblem): Promise<{ count: number; subjects: readonly string[] }>;
  repairRows(problem: RowProblem): Promise<void>;
  /** The accounts with ids after this one, in the order of their ids. */
  listAccounts(afterId: bigint, limit: number): Promise<readonly StoredAccount[]>;
  listPets(afterId: bigint | undefined, limit: number): Promise<readonly CheckedPet[]>;
  countPets(): Promise<number>;
  /** Those of these rows that their pet, still in this version, does not have. */
  findAbsent(list: PetList, rows: readonly PetListRow[]): Promise<readonly PetListRow[]>;
  /** At most `limit` rows in order, starting after this one or from the beginning, each with the text of its pet. */
  listRows(
    list: PetList,
    after: PetListRow | undefined,
    limit: number,
  ): Promise<readonly (PetListRow & { text: string | null; profile: string | null })[]>;
  /** Adds and deletes rows, unless their pet has changed. */
  correctRows(list: PetList, rows: { add: readonly PetListRow[]; remove: readonly PetListRow[] }): Promise<void>;
  readCounts(): Promise<StoredCounts>;
  /** Counts the events in the history after a version, up to and including another. */
  countEvents(after: bigint, upTo: bigint): Promise<Tally>;
  /** Replaces the counts by the events up to a version, those since then, and the photos in use. */
  replaceCounts(events: Tally, upTo: bigint): Promise<void>;
  /** The photos that are not marked for deletion, in the order of their digests. */
  listPhotos(afterDigest: string, limit: number): Promise<readonly string[]>;
  countPhotos(): Promise<number>;
  /** Those of these photos that `listPhotos` returns. */
  findListed(digests: readonly string[]): Promise<readonly string[]>;
  /** Those of these photos that are not in the list of photos. */
  findUnknown(digests: readonly string[]): Promise<readonly UnknownPhoto[]>;
  /** Photos that are marked for deletion, and were claimed for it until before this time. */
  listDoomed(beforeMs: number): Promise<readonly string[]>;
  changePhotos(change: PhotoChange): Promise<readonly string[]>;
  findInstallationId(): Promise<string | undefined>;
  /** The time of the database server, if it has its own clock, and of the last change. */
  readClock(): Promise<{ nowMs: number | undefined; lastChangeMs: number | undefined }>;
  /** The write-ahead log, if it is a file beside the database. It is lost if a service has crashed, and it is gone. */
  log: { readBytes(): number; maxBytes: number; isLost: boolean; shorten(): void } | undefined;
  close(): Promise<void>;
}
