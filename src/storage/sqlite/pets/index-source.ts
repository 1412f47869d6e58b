import type { DatabaseSync } from 'node:sqlite';
import type { ChangeMark, IndexSource, SourceChanges, SourcePet } from '../../../domain/search/index-source.ts';
import { prepareRow, prepareRows } from '../engine/database.ts';
import {
  toChangeMark,
  toSourceChanges,
  toSourcePet,
  type ChangeMarkRow,
  type SourceChangeRow,
  type SourcePetRow,
} from '../../rows/index-source.ts';

/** Each statement sees the last commit. */
export class SqliteIndexSource implements IndexSource {
  readonly #lastChange;
  readonly #countPets;
  readonly #pets;
  readonly #changes;

  constructor(reader: DatabaseSync) {
    this.#lastChange = prepareRows<ChangeMarkRow>(
      reader,
      'select version, pet_id, changed_at_ms from pet_version order by version desc limit 1',
    );
    this.#countPets = prepareRow(reader, 'select count(*) from pet');
    this.#pets = prepareRows<SourcePetRow>(
      reader,
      `select pet.id, pet.version, pet.text, pet.is_draft, pet.profile, added_version, changed_at_ms from pet join pet_version on pet_version.version = pet.version
       where pet.id >= ? order by pet.id limit ?`,
    );
    this.#changes = prepareRows<SourceChangeRow>(
      reader,
      // The first change is in the index already, so its texts, which may be long, are not read.
      `select change.version, change.pet_id, change.changed_at_ms, change.previous, earlier.text, earlier.profile,
         case when change.version > ?1 then change.text end, change.profile, ifnull(added_version, change.version)
       from pet_version as change left join pet_version as earlier on earlier.version = change.previous and change.version > ?1
         left join pet on pet.id = change.pet_id
       where change.version >= ?1 order by change.version limit ?2`,
    );
  }

  lastChange(): ChangeMark | undefined {
    return this.#lastChange().map(toChangeMark)[0];
  }

  countPets(): number {
    return Number(this.#countPets()?.[0]);
  }

  listPets(fromId: bigint, limit: number): readonly SourcePet[] {
    return this.#pets(fromId, limit).map(toSourcePet);
  }

  listChanges(afterVersion: bigint, limit: number): SourceChanges {
    return toSourceChanges(this.#changes(afterVersion, limit + 1), afterVersion);
  }
}
