import { MenagerieError } from '../../../client/failures.ts';
import type { ArgumentsOf } from '../../../api/operation-types.ts';
import { bootstrap } from '../../service/bootstrap.ts';
import { client } from '../../service/client.ts';
import type { PetStatus, PetView, ReadPet } from '../../service/queries.ts';

/*
 * One change of many pets, and the way back.
 */

export type BulkChange =
  | { kind: 'status'; status: PetStatus | null }
  | { kind: 'category'; name: string | null }
  | { kind: 'tags'; add: readonly string[]; remove: readonly string[] }
  | { kind: 'remove' };

/** A pet that was changed: as it was, and its entity tag now; after a removal there is none. */
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
  /** They were so already. */
  unchangedCount: number;
}

export interface BulkRun {
  /** Of all steps; each pet is read and then changed. */
  onProgress: (share: number) => void;
  /** Begins nothing more. What is done stays done. */
  signal: AbortSignal;
}

type Entry = ArgumentsOf<'changePets'>['body'][number];
type Patch = Extract<Entry, { op: 'patch' }>['patch'];

/** As many connections as a browser opens. */
const LANES = 6;
const NOT_FOUND = 404;

/**
 * Changes each of the pets as it is now, not as it was when it was selected: what others did meanwhile is kept, and the way back is exact. Each succeeds
 * or fails alone.
 */
export async function changeAll(
  pets: readonly PetView[],
  change: BulkChange,
  { onProgress, signal }: BulkRun,
): Promise<BulkOutcome> {
  const failed: FailedPet[] = [];
  const read: { before: PetView; entry: Entry }[] = [];
  let unchangedCount = 0;
  await inLanes(pets, async (pet, place) => {
    try {
      const found = await readNow(pet, signal);
      const entry = entryFor(found, change);
      if (entry === undefined) unchangedCount += 1;
      else read.push({ before: found.pet, entry });
    } catch (error) {
      failed.push({ pet, error });
    }
    onProgress((place + 1) / pets.length / 2);
  });
  const sent = await sendEntries(read, { signal, onProgress: (share) => onProgress(0.5 + share / 2) });
  return { changed: sent.changed, failed: [...failed, ...sent.failed], unchangedCount };
}

/** Makes the pets what they were. Those that were changed again since then stay as they are, and count as failed. */
export async function undoAll(
  { changed }: Pick<BulkOutcome, 'changed'>,
  change: BulkChange,
  run: BulkRun,
): Promise<BulkOutcome> {
  if (change.kind === 'remove') return undelete(changed, run);
  const entries = changed.map(({ before, etag }) => ({
    before,
    entry: { op: 'patch' as const, id: before.id, patch: patchBackTo(before, change.kind), ifMatch: etag ?? null },
  }));
  return { ...(await sendEntries(entries, run)), unchangedCount: 0 };
}

async function undelete(removed: readonly ChangedPet[], { onProgress, signal }: BulkRun): Promise<BulkOutcome> {
  const changed: ChangedPet[] = [];
  const failed: FailedPet[] = [];
  await inLanes(removed, async ({ before }, place) => {
    try {
      const { etag } = await client.undeletePet.answer({ petId: before.id }, { signal });
      changed.push({ before, etag });
    } catch (error) {
      failed.push({ pet: before, error });
    }
    onProgress((place + 1) / removed.length);
  });
  return { changed, failed, unchangedCount: 0 };
}

async function readNow({ id }: PetView, signal: AbortSignal): Promise<ReadPet> {
  const { value, etag } = await client.getPetById.answer({ petId: id }, { signal });
  if (value === undefined) throw new MenagerieError({ status: NOT_FOUND, message: 'It is not there any more.' });
  return { pet: value, etag };
}

async function sendEntries(
  entries: readonly { before: PetView; entry: Entry }[],
  { onProgress, signal }: BulkRun,
): Promise<{ changed: ChangedPet[]; failed: FailedPet[] }> {
  const changed: ChangedPet[] = [];
  const failed: FailedPet[] = [];
  if (entries.length === 0) return { changed, failed };
  const waiting = new Map(entries.map(({ before }, place) => [place + 1, before]));
  try {
    // Answers that come line by line do not wait for a new login: whether the session is still good is asked before.
    if (bootstrap.access === 'secured') await client.getAccount({}, { signal });
    for await (const answer of client.changePets.lines({ body: entries.map(({ entry }) => entry) }, { signal })) {
      const before = waiting.get(answer.line);
      if (before === undefined) continue;
      waiting.delete(answer.line);
      if ('id' in answer) changed.push({ before, etag: answer.etag });
      else failed.push({ pet: before, error: new MenagerieError(answer) });
      onProgress(1 - waiting.size / entries.length);
    }
  } catch (error) {
    // Whether these were done, nobody has said.
    failed.push(...[...waiting.values()].map((pet) => ({ pet, error })));
  }
  return { changed, failed };
}

/** Undefined where the pet is so already. */
function entryFor({ pet, etag }: ReadPet, change: BulkChange): Entry | undefined {
  const ifMatch = etag ?? null;
  if (change.kind === 'remove') return { op: 'delete', id: pet.id, ifMatch };
  const patch = patchFor(pet, change);
  return patch && { op: 'patch', id: pet.id, patch, ifMatch };
}

function patchFor(pet: PetView, change: Exclude<BulkChange, { kind: 'remove' }>): Patch | undefined {
  if (change.kind === 'status') return (pet.status ?? null) === change.status ? undefined : { status: change.status };
  if (change.kind === 'category') {
    if ((pet.category?.name ?? null) === change.name) return undefined;
    // A category is merged with the one that is there: the id of the other would stay.
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
  const added = add.filter((name) => !kept.some((tag) => tag.name === name));
  if (kept.length === pet.tags.length && added.length === 0) return undefined;
  return [...kept, ...added];
}

function patchBackTo(before: PetView, kind: 'status' | 'category' | 'tags'): Patch {
  if (kind === 'status') return { status: before.status ?? null };
  if (kind === 'tags') return { tags: before.tags };
  const { category } = before;
  return { category: category === undefined ? null : { id: category.id ?? null, name: category.name ?? null } };
}

/** @param take is told how many were taken before */
async function inLanes<T>(items: readonly T[], take: (item: T, place: number) => Promise<void>): Promise<void> {
  let done = 0;
  const rest = items.values();
  const lane = async () => {
    for (const item of rest) await take(item, done++);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
