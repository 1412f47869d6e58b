import type { DatabaseSync } from 'node:sqlite';
import { tokensOf, traitsOfText, type PetTraits } from '../../../domain/search/tokens.ts';
import { isSold, type StoredPet } from '../../../domain/pets/pet.ts';
import { prepareChange, prepareRow } from '../engine/database.ts';
import type { PetCounts } from './pet-counts.ts';

/** The letter before a name key among the tokens: no kind of token has it. */
export const NAME_KEY_MARK = 'k';

/** The changes of a transaction to a pet, as far as search is concerned. */
interface Trace {
  textBefore: string | undefined;
  now: PetTraits | undefined;
  addedVersion: bigint | undefined;
  atMs: number;
}

/** Keeps the search tables consistent with the pets. The changes of a transaction to a pet are collected, and written once at its end. */
export class PetSearchWrites {
  readonly #counts: PetCounts;
  readonly #traces = new Map<bigint, Trace>();
  readonly #addRow;
  readonly #updateRow;
  readonly #touchRow;
  readonly #deleteRow;
  readonly #addTokens;
  readonly #deleteTokens;
  readonly #versionOf;

  constructor(db: DatabaseSync, counts: PetCounts) {
    this.#counts = counts;
    this.#addRow = prepareChange(
      db,
      'insert into pet_search (pet_id, name_key, tokens, added_version, changed_at_ms) values (?, ?, ?, ?, ?)',
    );
    this.#updateRow = prepareChange(
      db,
      'update pet_search set name_key = ?, tokens = ?, added_version = ifnull(?, added_version), changed_at_ms = ? where pet_id = ?',
    );
    this.#touchRow = prepareChange(db, 'update pet_search set changed_at_ms = ? where pet_id = ?');
    this.#deleteRow = prepareChange(db, 'delete from pet_search where pet_id = ?');
    this.#addTokens = prepareChange(db, 'insert into pet_token (rowid, all_tokens) values (?, ?)');
    this.#deleteTokens = prepareChange(db, 'delete from pet_token where rowid = ?');
    this.#versionOf = prepareRow(db, 'select previous, action from pet_version where version = ?');
  }

  begin(): void {
    this.#traces.clear();
  }

  added({ id, version }: StoredPet, now: PetTraits, atMs: number): void {
    this.#trace(id, undefined, now, atMs).addedVersion = version;
    this.#counts.tally.happened('added', atMs);
    if (now.status === 'sold') this.#counts.tally.happened('adopted', atMs);
  }

  /** A deleted pet returns to its place in the order of addition. */
  restored({ id, version }: StoredPet, now: PetTraits, atMs: number): void {
    this.#trace(id, undefined, now, atMs).addedVersion = this.#additionBefore(version);
    this.#counts.tally.happened('changed', atMs);
  }

  changed({ id, text }: StoredPet, now: PetTraits, atMs: number): void {
    this.#trace(id, text, now, atMs);
    this.#counts.tally.happened('changed', atMs);
    if (now.status === 'sold' && !isSold(text)) this.#counts.tally.happened('adopted', atMs);
  }

  removed({ id, text }: StoredPet, atMs: number): void {
    this.#trace(id, text, undefined, atMs);
    this.#counts.tally.happened('removed', atMs);
  }

  save(): void {
    for (const [id, trace] of this.#traces) this.#write(id, trace);
  }

  #trace(id: bigint, textBefore: string | undefined, now: PetTraits | undefined, atMs: number): Trace {
    const known = this.#traces.get(id);
    if (known !== undefined) return Object.assign(known, { now, atMs });
    const made: Trace = { textBefore, now, addedVersion: undefined, atMs };
    this.#traces.set(id, made);
    return made;
  }

  /** From a restore back to the addition before it: versions have no index but their number. */
  #additionBefore(version: bigint): bigint {
    for (let reached = version; ;) {
      const [previous, action] = this.#versionOf(reached) ?? [];
      if (action === 'added' || typeof previous !== 'bigint') return reached;
      reached = previous;
    }
  }

  #write(id: bigint, { textBefore, now, addedVersion, atMs }: Trace): void {
    const before = textBefore === undefined ? undefined : traitsOfText(textBefore);
    this.#counts.tally.replace(before, now);
    if (now === undefined) {
      if (before === undefined) return;
      this.#deleteRow(id);
      this.#deleteTokens(id);
      return;
    }
    const { nameKey, tokens } = tokensOf(now);
    const row = ` ${tokens.join(' ')} `;
    if (before === undefined) {
      this.#addRow(id, nameKey, row, addedVersion ?? 0n, atMs);
      this.#addTokens(id, indexed(nameKey, row));
      return;
    }
    const known = tokensOf(before);
    if (addedVersion === undefined && known.nameKey === nameKey && ` ${known.tokens.join(' ')} ` === row) {
      this.#touchRow(atMs, id);
      return;
    }
    this.#updateRow(nameKey, row, addedVersion ?? null, atMs, id);
    this.#deleteTokens(id);
    this.#addTokens(id, indexed(nameKey, row));
  }
}

export function indexed(nameKey: string, tokens: string): string {
  return `${NAME_KEY_MARK}${nameKey}${tokens}`;
}
