import type { ChangeMark, IndexSource, SourceChanges, SourcePet } from '../../../domain/search/index-source.ts';
import { statement, type Ask } from '../engine/statements.ts';
import {
  toChangeMark,
  toSourceChanges,
  toSourcePet,
  type ChangeMarkRow,
  type SourceChangeRow,
  type SourcePetRow,
} from '../../rows/index-source.ts';

const lastChange = statement('select version, pet_id, changed_at_ms from pet_version order by version desc limit 1');
const countPets = statement('select count(*) from pet');
// Not a join: PostgreSQL takes its two columns for independent, expects a single row, and joins the complete tables for
// each page.
const pets = statement(
  `select id, version, text, is_draft, profile, added_version,
     (select changed_at_ms from pet_version where pet_id = pet.id and version = pet.version)
   from pet where id >= $1 order by id limit $2`,
);
// The first change is in the index already, so its texts, which may be long, are not read.
const changes = statement(
  `select change.version, change.pet_id, change.changed_at_ms, change.previous, earlier.text, earlier.profile,
     case when change.version > $1 then change.text end, change.profile, coalesce(added_version, change.version)
   from pet_version as change left join pet_version as earlier
     on earlier.pet_id = change.pet_id and earlier.version = change.previous and change.version > $1
     left join pet on pet.id = change.pet_id
   where change.version >= $1 order by change.version limit $2`,
);

/** Each statement sees the last commit on the primary. */
export class PostgresIndexSource implements IndexSource {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async lastChange(): Promise<ChangeMark | undefined> {
    return (await this.#ask<ChangeMarkRow>(lastChange)).map(toChangeMark)[0];
  }

  async countPets(): Promise<number> {
    const [[count] = [0n]] = await this.#ask<[count: bigint]>(countPets);
    return Number(count);
  }

  async listPets(fromId: bigint, limit: number): Promise<readonly SourcePet[]> {
    return (await this.#ask<SourcePetRow>(pets, fromId, limit)).map(toSourcePet);
  }

  async listChanges(afterVersion: bigint, limit: number): Promise<SourceChanges> {
    return toSourceChanges(await this.#ask<SourceChangeRow>(changes, afterVersion, limit + 1), afterVersion);
  }
}
