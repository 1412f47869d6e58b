import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { PetStatus, StoredPet } from '../../../domain/pets/pet.ts';
import type { PetChange, PetState } from '../../../domain/pets/pet-change.ts';
import type { PetVersion, DeletedPet } from '../../../domain/pets/pet-version.ts';
import { EMPTY_PROFILE } from '../../../domain/pets/profile.ts';
import type { PetStore } from '../../../domain/pets/ports.ts';
import type { ListPage } from '../../../domain/ports.ts';
import {
  PET_COLUMNS,
  PET_STATE_COLUMNS,
  profilesOf,
  toPetState,
  toStoredPet,
  type PetRow,
  type PetStateRow,
  type ProfileRow,
} from '../../rows/pets.ts';
import { prepareRow, prepareRows } from '../engine/database.ts';
import { createSnapshots } from '../engine/snapshots.ts';
import type { Writer } from '../engine/writer.ts';
import { PetHistoryReader } from './pet-history.ts';

/** Reads on the event loop's own connections. */
export class SqlitePetStore implements PetStore {
  readonly #writer: Writer;
  readonly #history: PetHistoryReader;
  readonly #inSnapshot;
  readonly #byId;
  readonly #stateById;
  readonly #profiles;
  readonly #byIds;
  readonly #byTag;
  readonly #byStatuses;
  readonly #firstEver;

  /** @param deps.scanner the connection for lists */
  constructor({ reader, scanner, writer }: { reader: DatabaseSync; scanner: DatabaseSync; writer: Writer }) {
    const snapshots = createSnapshots(scanner, scanner === reader);
    this.#writer = writer;
    this.#history = new PetHistoryReader(scanner, snapshots);
    this.#inSnapshot = snapshots.inSnapshot;
    this.#byId = prepareRow(reader, 'select version, text, is_draft from pet where id = ?');
    this.#stateById = prepareRows<PetStateRow>(reader, `select ${PET_STATE_COLUMNS} from pet where id = ?`);
    this.#profiles = prepareRows<ProfileRow>(scanner, profilesOf.sqlite);
    this.#byIds = prepareRows<PetRow>(
      scanner,
      'select pet.id, version, text, is_draft from json_each(?) join pet on pet.id = value',
    );
    this.#byTag = prepareRows<[petId: bigint]>(
      scanner,
      'select pet_id from pet_tag join pet on id = pet_id where name = ? and pet_id > ? and is_draft <= ? ' +
        'order by pet_id limit ?',
    );
    // One ordered walk of the index for each status, merged: sorting all pets of two statuses for every page of a list
    // would be too slow.
    const ofOne = `select ${PET_COLUMNS} from pet where status = ? and id > ? and is_draft <= ? order by id limit ?`;
    const ofSome = (count: number) =>
      `${Array(count).fill(`select * from (${ofOne})`).join(' union all ')} order by id limit ?`;
    this.#byStatuses = [ofOne, ofSome(2), ofSome(3)].map((list) => prepareRows<PetRow>(scanner, list));
    this.#firstEver = prepareRows(reader, 'select 1 from pet_version limit 1');
  }

  find(id: bigint): StoredPet | undefined {
    const row = this.#byId(id) as [version: bigint, text: string, isDraft: bigint] | undefined;
    return row && { id, version: row[0], text: row[1], isDraft: row[2] !== 0n };
  }

  findWithProfile(id: bigint): PetState | undefined {
    return this.#stateById(id).map(toPetState)[0];
  }

  findProfiles(ids: readonly bigint[]) {
    return new Map(this.#profiles(`[${ids.join()}]`).map(([id, version, text]) => [id, { version, text }]));
  }

  findMany(ids: readonly bigint[]): readonly StoredPet[] {
    return this.#byIds(`[${ids.join()}]`).map(toStoredPet);
  }

  async apply(change: PetChange): Promise<PetState> {
    const { id, version, text, isDraft = false, profile = EMPTY_PROFILE } = await this.#writer.apply('pets', change);
    return { id, version, text, isDraft, profile };
  }

  async listByStatus(statuses: readonly PetStatus[], page: ListPage): Promise<readonly StoredPet[]> {
    const { afterId, limit, withDrafts = false } = page;
    const distinct = [...new Set(statuses)];
    const parameters = distinct.flatMap((status): SQLInputValue[] => [status, afterId, Number(withDrafts), limit]);
    if (distinct.length > 1) parameters.push(limit);
    return this.#inSnapshot(() => (this.#byStatuses[distinct.length - 1]?.(...parameters) ?? []).map(toStoredPet));
  }

  async listByTags(tagNames: readonly string[], page: ListPage): Promise<readonly StoredPet[]> {
    const { afterId, limit, withDrafts = false } = page;
    // One snapshot for both statements: a pet deleted between them would make the page short, and a short page ends a
    // list.
    return this.#inSnapshot(() => {
      const ids = new Set(
        tagNames.flatMap((name) => this.#byTag(name, afterId, Number(withDrafts), limit).map(([id]) => id)),
      );
      const first = [...ids].toSorted(ascending).slice(0, limit);
      return this.findMany(first).toSorted((a, b) => ascending(a.id, b.id));
    });
  }

  listVersions(id: bigint, fromVersion: bigint | undefined, limit: number): Promise<readonly PetVersion[]> {
    return this.#history.listVersions(id, fromVersion, limit);
  }

  listDeleted(beforeVersion: bigint | undefined, limit: number): Promise<readonly DeletedPet[]> {
    return this.#history.listDeleted(beforeVersion, limit);
  }

  async isUnused(): Promise<boolean> {
    return this.#firstEver().length === 0;
  }
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : 1;
}
