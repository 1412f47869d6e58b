import { MenagerieError } from '../../../client/failures.ts';
import type { ArgumentsOf } from '../../../api/documents/operation-types.ts';
import { canonicalText } from '../../../api/web/catalogue-search.ts';
import { bootstrap } from '../../service/bootstrap.ts';
import { client } from '../../service/client.ts';
import type { PetStatus, PetView, ReadPet } from '../../service/queries.ts';

/*
 * Changes many pets, and undoes it.
 */

export type BulkChange =
  | { kind: 'status'; status: PetStatus | null }
  | { kind: 'category'; name: string | null }
  | { kind: 'tags'; add: readonly string[]; remove: readonly string[] }
  | { kind: 'visibility'; isDraft: boolean }
  | { kind: 'delete' };

/** The pet before the change, and its entity tag after it; undefined after a deletion. */
export interface ChangedPet {
  before: PetView;
  etag: string | undefined;
}

export interface FailedPet {
  pet: PetView;
  error: unknown;
}

export interface BulkOutcome {
  changed: readonly ChangedPet[];
  failed: readonly FailedPet[];
  /** Number of pets that already had the value. */
  unchangedCount: number;
}

export interface BulkRun {
  /** From 0 to 1. Each pet is read and then changed. */
  onProgress: (share: number) => void;
  /** Starts no further requests. Finished changes stay. */
  signal: AbortSignal;
}

type VisibilityChange = Extract<BulkChange, { kind: 'visibility' }>;
type PatchChange = Exclude<BulkChange, { kind: 'delete' | 'visibility' }>;

type Entry = ArgumentsOf<'changePets'>['body'][number];
type Patch = NonNullable<Extract<Entry, { op: 'patch' }>['patch']>;

/** The number of connections that a browser opens. */
const LANES = 6;
const NOT_FOUND = 404;

/**
 * Changes the current version of each pet, not the one that was selected, so that changes of other users are kept and
 * undo is exact. Each pet succeeds or fails on its own.
 */
export async function changeAll(
  pets: readonly PetView[],
  change: BulkChange,
  { onProgress, signal }: BulkRun,
): Promise<BulkOutcome> {
  const failed: FailedPet[] = [];
  const read: { before: PetView; entry: Entry }[] = [];
  let unchangedCount = 0;
  await inLanes(pets, async (pet, index) => {
    try {
      const found = await readNow(pet, signal);
      const entry =
        change.kind === 'visibility' ? await visibilityEntry(found, change, signal) : entryFor(found, change);
      if (entry === undefined) unchangedCount += 1;
      else read.push({ before: found.pet, entry });
    } catch (error) {
      failed.push({ pet, error });
    }
    onProgress((index + 1) / pets.length / 2);
  });
  const sent = await sendEntries(read, { signal, onProgress: (share) => onProgress(0.5 + share / 2) });
  return { changed: sent.changed, failed: [...failed, ...sent.failed], unchangedCount };
}

/** Restores the previous values. Pets that have changed since then are left alone, and count as failed. */
export async function undoAll(
  { changed }: Pick<BulkOutcome, 'changed'>,
  change: BulkChange,
  run: BulkRun,
): Promise<BulkOutcome> {
  if (change.kind === 'delete') return restoreAll(changed, run);
  const entries = changed.map(({ before, etag }) => ({
    before,
    entry: { op: 'patch' as const, id: before.id, ...changeBackTo(before, change), ifMatch: etag ?? null },
  }));
  return { ...(await sendEntries(entries, run)), unchangedCount: 0 };
}

async function restoreAll(deleted: readonly ChangedPet[], { onProgress, signal }: BulkRun): Promise<BulkOutcome> {
  const changed: ChangedPet[] = [];
  const failed: FailedPet[] = [];
  await inLanes(deleted, async ({ before }, index) => {
    try {
      const { etag } = await client.restorePet.response({ petId: before.id }, { signal });
      changed.push({ before, etag });
    } catch (error) {
      failed.push({ pet: before, error });
    }
    onProgress((index + 1) / deleted.length);
  });
  return { changed, failed, unchangedCount: 0 };
}

async function readNow({ id }: PetView, signal: AbortSignal): Promise<ReadPet> {
  const { value, etag } = await client.getPetById.response({ petId: id }, { signal });
  if (value === undefined) throw new MenagerieError({ status: NOT_FOUND, message: 'It no longer exists.' });
  return { pet: value, etag };
}

async function sendEntries(
  entries: readonly { before: PetView; entry: Entry }[],
  { onProgress, signal }: BulkRun,
): Promise<{ changed: ChangedPet[]; failed: FailedPet[] }> {
  const changed: ChangedPet[] = [];
  const failed: FailedPet[] = [];
  if (entries.length === 0) return { changed, failed };
  const waiting = new Map(entries.map(({ before }, index) => [index + 1, before]));
  try {
    // A streamed response cannot wait for a login, so the session is checked first.
    if (bootstrap.access === 'secured') await client.getAccount({}, { signal });
    for await (const response of client.changePets.lines({ body: entries.map(({ entry }) => entry) }, { signal })) {
      const before = waiting.get(response.line);
      if (before === undefined) continue;
      waiting.delete(response.line);
      if ('id' in response) changed.push({ before, etag: response.etag });
      else failed.push({ pet: before, error: new MenagerieError(response) });
      onProgress(1 - waiting.size / entries.length);
    }
  } catch (error) {
    // The outcome of these changes is unknown.
    failed.push(...[...waiting.values()].map((pet) => ({ pet, error })));
  }
  return { changed, failed };
}

/** Undefined if the pet is already a draft, or published. */
async function visibilityEntry(
  { pet, etag }: ReadPet,
  { isDraft }: VisibilityChange,
  signal: AbortSignal,
): Promise<Entry | undefined> {
  const { isPublished } = await client.getPetProfile({ petId: pet.id }, { signal });
  if ((isPublished === false) === isDraft) return undefined;
  return { op: 'patch', id: pet.id, profile: visibilityPatch(isDraft), ifMatch: etag ?? null };
}

/** Published is the default. */
function visibilityPatch(isDraft: boolean) {
  return { isPublished: isDraft ? false : null };
}

/** Undefined if the pet already has the value. */
function entryFor({ pet, etag }: ReadPet, change: Exclude<BulkChange, VisibilityChange>): Entry | undefined {
  const ifMatch = etag ?? null;
  if (change.kind === 'delete') return { op: 'delete', id: pet.id, ifMatch };
  const patch = patchFor(pet, change);
  return patch && { op: 'patch', id: pet.id, patch, ifMatch };
}

function patchFor(pet: PetView, change: PatchChange): Patch | undefined {
  if (change.kind === 'status') return (pet.status ?? null) === change.status ? undefined : { status: change.status };
  if (change.kind === 'category') {
    if ((pet.category?.name ?? null) === change.name) return undefined;
    // The service merges a category: without `id: null`, it would keep the old ID.
    return { category: change.name === null ? null : { id: null, name: change.name } };
  }
  const tags = changedTags(pet, change);
  return tags && { tags };
}

function changedTags(
  pet: PetView,
  { add, remove }: Extract<BulkChange, { kind: 'tags' }>,
): NonNullable<Patch['tags']> | undefined {
  const kept = pet.tags.filter(({ name }) => name === undefined || !remove.includes(name));
  const added = add.filter((name) => !kept.some((tag) => canonicalText(tag.name ?? '') === name));
  if (kept.length === pet.tags.length && added.length === 0) return undefined;
  return [...kept, ...added];
}

function changeBackTo(before: PetView, change: PatchChange | VisibilityChange) {
  if (change.kind === 'visibility') return { profile: visibilityPatch(!change.isDraft) };
  return { patch: patchBackTo(before, change.kind) };
}

function patchBackTo(before: PetView, kind: PatchChange['kind']): Patch {
  if (kind === 'status') return { status: before.status ?? null };
  if (kind === 'tags') return { tags: before.tags };
  const { category } = before;
  return { category: category === undefined ? null : { id: category.id ?? null, name: category.name ?? null } };
}

/** @param take receives the number of items taken before */
async function inLanes<T>(items: readonly T[], take: (item: T, index: number) => Promise<void>): Promise<void> {
  let done = 0;
  const rest = items.values();
  const lane = async () => {
    for (const item of rest) await take(item, done++);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
