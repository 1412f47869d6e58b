import type { DatabaseSync } from 'node:sqlite';
import { tokensOf, traitsOfText, type PetTraits } from '../../../domain/search/tokens.ts';
import { isSold, type StoredPet } from '../../../domain/pets/pet.ts';
import { prepareChange, prepareRow } from '../engine/database.ts';
import type { PetCounts } from './pet-counts.ts';

/** The letter before a name key among the tokens: no kind of token has it. */
export const NAME_KEY_MARK = 'k';

/** What a transaction does to a pet, as far as finding it goes. */
interface Trace {
  textBefore: string | undefined;
  now: PetTraits | undefined;
  addedVersion: bigint | undefined;
  atMs: number;
}

/**
 * Keeps what pets are found by in step with them. What a transaction does to a pet is put together, and written at its end: by then it is known what it
 * comes to.
 */
export function createPetSearch(db: DatabaseSync, counts: PetCounts) {
  const addRow = prepareChange(
    db,
    'insert into pet_search (pet_id, name_key, tokens, added_version, changed_at_ms) values (?, ?, ?, ?, ?)',
  );
  const updateRow = prepareChange(
    db,
    'update pet_search set name_key = ?, tokens = ?, added_version = ifnull(?, added_version), changed_at_ms = ? where pet_id = ?',
  );
  const touchRow = prepareChange(db, 'update pet_search set changed_at_ms = ? where pet_id = ?');
  const removeRow = prepareChange(db, 'delete from pet_search where pet_id = ?');
  const addTokens = prepareChange(db, 'insert into pet_token (rowid, all_tokens) values (?, ?)');
  const removeTokens = prepareChange(db, 'delete from pet_token where rowid = ?');
  const versionOf = prepareRow(db, 'select previous, action from pet_version where version = ?');
  const traces = new Map<bigint, Trace>();

  /** From a restore back to the addition before it: versions have no index but their number. */
  function additionBefore(version: bigint): bigint {
    for (let reached = version; ;) {
      const [previous, action] = versionOf(reached) ?? [];
      if (action === 'added' || typeof previous !== 'bigint') return reached;
      reached = previous;
    }
  }

  function trace(id: bigint, textBefore: string | undefined, now: PetTraits | undefined, atMs: number): Trace {
    const known = traces.get(id);
    if (known !== undefined) return Object.assign(known, { now, atMs });
    const made: Trace = { textBefore, now, addedVersion: undefined, atMs };
    traces.set(id, made);
    return made;
  }

  function write(id: bigint, { textBefore, now, addedVersion, atMs }: Trace): void {
    const before = textBefore === undefined ? undefined : traitsOfText(textBefore);
    counts.tally.replace(before, now);
    if (now === undefined) {
      if (before === undefined) return;
      removeRow(id);
      removeTokens(id);
      return;
    }
    const { nameKey, tokens } = tokensOf(now);
    const row = ` ${tokens.join(' ')} `;
    if (before === undefined) {
      addRow(id, nameKey, row, addedVersion ?? 0n, atMs);
      addTokens(id, indexed(nameKey, row));
      return;
    }
    const known = tokensOf(before);
    if (addedVersion === undefined && known.nameKey === nameKey && ` ${known.tokens.join(' ')} ` === row) {
      touchRow(atMs, id);
      return;
    }
    updateRow(nameKey, row, addedVersion ?? null, atMs, id);
    removeTokens(id);
    addTokens(id, indexed(nameKey, row));
  }

  return {
    begin(): void {
      traces.clear();
    },
    added({ id, version }: StoredPet, now: PetTraits, atMs: number): void {
      trace(id, undefined, now, atMs).addedVersion = version;
      counts.tally.happened('added', atMs);
      if (now.status === 'sold') counts.tally.happened('adopted', atMs);
    },
    /** A deleted pet returns to its place in the order of addition. */
    restored({ id, version }: StoredPet, now: PetTraits, atMs: number): void {
      trace(id, undefined, now, atMs).addedVersion = additionBefore(version);
      counts.tally.happened('changed', atMs);
    },
    changed({ id, text }: StoredPet, now: PetTraits, atMs: number): void {
      trace(id, text, now, atMs);
      counts.tally.happened('changed', atMs);
      if (now.status === 'sold' && !isSold(text)) counts.tally.happened('adopted', atMs);
    },
    removed({ id, text }: StoredPet, atMs: number): void {
      trace(id, text, undefined, atMs);
      counts.tally.happened('removed', atMs);
    },
    save(): void {
      for (const [id, made] of traces) write(id, made);
    },
  };
}

export function indexed(nameKey: string, tokens: string): string {
  return `${NAME_KEY_MARK}${nameKey}${tokens}`;
}
