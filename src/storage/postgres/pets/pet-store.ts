import type { PetStatus, StoredPet } from '../../../domain/pets/pet.ts';
import type { PetChange, PetState } from '../../../domain/pets/pet-change.ts';
import type { PetVersion, DeletedPet } from '../../../domain/pets/pet-version.ts';
import type { PetStore } from '../../../domain/pets/ports.ts';
import type { ListPage, NoOlderThan } from '../../../domain/ports.ts';
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
import { gather } from '../../rows/gather.ts';
import { copyRead, type CopyReads } from '../engine/standby.ts';
import { statement, type Ask } from '../engine/statements.ts';
import type { Writer } from '../engine/writer.ts';
import { listDeleted, listVersions } from './pet-history.ts';

// One text for all pets, so that the driver parses one value instead of three for each pet. The text of a pet has no
// line break, because JSON escapes it.
const byIds = copyRead(
  `select string_agg(id::text || ' ' || version::text || ' ' || is_draft::text || ' ' || text, chr(10)) as found from pet where id = any($1::int8[])`,
  'found',
);
const stateById = copyRead(`select ${PET_STATE_COLUMNS} from pet where id = $1`, PET_STATE_COLUMNS);
const profiles = copyRead(profilesOf.postgres, 'id, profile_version, profile');
const firstEver = statement('select 1 from pet_version limit 1');

// One ordered walk of the index for each status, merged: sorting all pets of two statuses for every page of a list
// would be too slow.
const ofStatus = (place: number) =>
  `(select ${PET_COLUMNS} from pet where status = $${place} and id > $1 and is_draft <= $3 order by id limit $2)`;
const byStatuses = [1, 2, 3].map((count) => {
  const walks = Array.from({ length: count }, (_, index) => ofStatus(4 + index)).join(' union all ');
  return copyRead(`select ${PET_COLUMNS} from (${walks}) as walks order by id limit $2`, PET_COLUMNS);
});

const ofTag = (place: number) =>
  `(select ${PET_COLUMNS} from pet_tag join pet on id = pet_id
     where name = $${place} and pet_id > $1 and is_draft <= $3 order by pet_id limit $2)`;
/**
 * The same for tags; a pet may have several of them. There is a statement for each of these numbers of tags; with fewer
 * tags, the last one is repeated.
 */
const byTags = [1, 2, 4, 8, 16, 32].map((count) => {
  const walks = Array.from({ length: count }, (_, index) => ofTag(4 + index)).join(' union all ');
  const text = `select distinct ${PET_COLUMNS} from (${walks}) as walks order by id limit $2`;
  return { count, read: copyRead(text, PET_COLUMNS) };
});
// For more tags than requests usually have. It has to sort all pets with any of them.
const byManyTags = copyRead(
  `select ${PET_COLUMNS} from pet where id in
     (select distinct pet_id from pet_tag join pet on id = pet_id
        where name = any($4::text[]) and pet_id > $1 and is_draft <= $3 order by pet_id limit $2)
   order by id`,
  PET_COLUMNS,
);

export class PostgresPetStore implements PetStore {
  readonly #ask: Ask;
  readonly #writer: Writer;
  readonly #copies: CopyReads;

  constructor({ ask, writer, copies }: { ask: Ask; writer: Writer; copies: CopyReads }) {
    this.#ask = ask;
    this.#writer = writer;
    this.#copies = copies;
  }

  find(id: bigint, noOlderThan: NoOlderThan): Promise<StoredPet | undefined> {
    return noOlderThan === undefined ? this.#findLatest(id) : this.#findInCopy([id, noOlderThan]);
  }

  readonly #findLatest = gather((ids: readonly bigint[]) => this.#findAll(ids, undefined));

  /**
   * The callers that accept a copy do not wait for those that need the latest state. A batch is as new as its most
   * demanding caller requires.
   */
  readonly #findInCopy = gather((wanted: readonly [id: bigint, noOlderThan: bigint][]) => {
    const noOlderThan = wanted.reduce((newest, [, version]) => (version > newest ? version : newest), 0n);
    return this.#findAll(
      wanted.map(([id]) => id),
      noOlderThan,
    );
  });

  async #findAll(ids: readonly bigint[], noOlderThan: NoOlderThan): Promise<readonly (StoredPet | undefined)[]> {
    const [row] = await this.#copies.rows<[found: string | null]>(byIds, noOlderThan, ids);
    const lines = new Map<string, string>();
    for (const line of row?.[0]?.split('\n') ?? []) lines.set(line.slice(0, line.indexOf(' ')), line);
    return ids.map((id) => petOfLine(id, lines.get(id.toString())));
  }

  async findWithProfile(id: bigint, noOlderThan: NoOlderThan): Promise<PetState | undefined> {
    return (await this.#copies.rows<PetStateRow>(stateById, noOlderThan, id)).map(toPetState)[0];
  }

  async findProfiles(ids: readonly bigint[], noOlderThan: NoOlderThan) {
    const rows = await this.#copies.rows<ProfileRow>(profiles, noOlderThan, ids);
    return new Map(rows.map(([id, version, text]) => [id, { version, text }]));
  }

  async findMany(ids: readonly bigint[], noOlderThan: NoOlderThan): Promise<readonly StoredPet[]> {
    return (await this.#findAll(ids, noOlderThan)).filter((pet) => pet !== undefined);
  }

  apply(change: PetChange): Promise<PetState> {
    return this.#writer.apply('pets', change);
  }

  async listByStatus(
    statuses: readonly PetStatus[],
    { afterId, limit, noOlderThan, withDrafts = false }: ListPage,
  ): Promise<readonly StoredPet[]> {
    const distinct = [...new Set(statuses)];
    const list = byStatuses[distinct.length - 1];
    if (list === undefined) return [];
    return inOrder(await this.#copies.rows<PetRow>(list, noOlderThan, afterId, limit, Number(withDrafts), ...distinct));
  }

  async listByTags(
    tagNames: readonly string[],
    { afterId, limit, noOlderThan, withDrafts = false }: ListPage,
  ): Promise<readonly StoredPet[]> {
    const page = [afterId, limit, Number(withDrafts)] as const;
    // PostgreSQL cannot store a text with U+0000, so no tag has one.
    const names = [...new Set(tagNames)].filter((name) => !name.includes('\0'));
    const last = names.at(-1);
    if (last === undefined) return [];
    const some = byTags.find(({ count }) => count >= names.length);
    if (some === undefined) return inOrder(await this.#copies.rows<PetRow>(byManyTags, noOlderThan, ...page, names));
    const places = Array.from({ length: some.count }, (_, index) => names[index] ?? last);
    return inOrder(await this.#copies.rows<PetRow>(some.read, noOlderThan, ...page, ...places));
  }

  listVersions(id: bigint, fromVersion: bigint | undefined, limit: number): Promise<readonly PetVersion[]> {
    return listVersions(this.#ask, id, fromVersion, limit);
  }

  listDeleted(beforeVersion: bigint | undefined, limit: number): Promise<readonly DeletedPet[]> {
    return listDeleted(this.#ask, beforeVersion, limit);
  }

  async isUnused(): Promise<boolean> {
    return (await this.#ask(firstEver)).length === 0;
  }
}

/** Parses a line of the id, the version, whether it is a draft, and the text, separated by spaces. */
function petOfLine(id: bigint, line: string | undefined): StoredPet | undefined {
  if (line === undefined) return undefined;
  const beforeVersion = line.indexOf(' ') + 1;
  const beforeDraft = line.indexOf(' ', beforeVersion) + 1;
  const version = BigInt(line.slice(beforeVersion, beforeDraft - 1));
  return { id, version, isDraft: line[beforeDraft] === '1', text: line.slice(beforeDraft + 2) };
}

/** A join guarantees no order. */
function inOrder(rows: readonly PetRow[]): readonly StoredPet[] {
  return rows.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(toStoredPet);
}
