import { setImmediate as nextIteration } from 'node:timers/promises';
import type { FoundProblem } from '../../domain/health/finding.ts';
import type { PetList, PetListRow } from '../../domain/health/ports.ts';
import { BatchSize } from '../../domain/batches.ts';
import { readPetText, recordOf, type PetRecord, type StoredPet } from '../../domain/pets/pet.ts';
import { findAll, problemOf, type DatabaseContext, type HealthCheck } from './check.ts';
import { photoUseCheck } from './database-checks.ts';

/* Checks of the text of each pet, and of the rows that repeat its tags and its photos. */

const MAX_PETS = 1000;
const MAX_ROWS = 2000;

/** The rows of a batch that have to be added or deleted. */
interface WrongRows {
  add: readonly PetListRow[];
  remove: readonly PetListRow[];
}

export const petsCheck: HealthCheck<DatabaseContext> = {
  name: 'pets',
  find(context) {
    const damaged: string[] = [];
    const readAll = async () => {
      for await (const pets of readPets(context))
        for (const pet of pets) if (recordOfStored(pet) === undefined) damaged.push(`pet ${pet.id}`);
    };
    return findAll([readAll, () => problemOf('text-damaged', damaged)]);
  },
};

export const tagsCheck: HealthCheck<DatabaseContext> = {
  name: 'tags',
  find: (context) => findWrong(context, 'tags'),
  async repair(context) {
    await repairWrong(context, 'tags');
    return undefined;
  },
};

/** The photos that pets refer to, and from them whether each photo is in use. */
export const photoReferencesCheck: HealthCheck<DatabaseContext> = {
  name: 'photo-references',
  async find(context) {
    return [...(await findWrong(context, 'photos')), ...(await photoUseCheck.find(context))];
  },
  async repair(context) {
    await repairWrong(context, 'photos');
    await photoUseCheck.repair?.(context, await photoUseCheck.find(context));
    return undefined;
  },
};

function findWrong(context: DatabaseContext, list: PetList): Promise<readonly FoundProblem[]> {
  const subjects: string[] = [];
  const readAll = async () => {
    for await (const { add, remove } of wrongRows(context, list))
      for (const { value, petId } of [...add, ...remove]) subjects.push(`pet ${petId}: ${value}`);
  };
  return findAll([readAll, () => problemOf(list === 'tags' ? 'tags-wrong' : 'photo-references-wrong', subjects)]);
}

async function repairWrong(context: DatabaseContext, list: PetList): Promise<void> {
  for await (const rows of wrongRows(context, list)) await context.database.correctRows(list, rows);
}

async function* wrongRows(context: DatabaseContext, list: PetList): AsyncGenerator<WrongRows> {
  const { database } = context;
  for await (const pets of readPets(context)) {
    const wanted = pets.flatMap((pet) => rowsOf(pet, list));
    const add = wanted.length === 0 ? [] : await database.findAbsent(list, wanted);
    if (add.length > 0) yield { add, remove: [] };
  }
  const size = new BatchSize(MAX_ROWS);
  for (let after: PetListRow | undefined; ;) {
    const limit = size.count;
    const rows = await database.listRows(list, after, limit);
    size.learn(rows.map(({ text }) => ({ text: text ?? '' })));
    const remove = rows.filter((row) => !belongs(row, list));
    if (remove.length > 0) yield { add: [], remove };
    after = rows.at(-1);
    if (after === undefined || rows.length < limit) return;
    await nextIteration();
  }
}

async function* readPets({ database, onProgress }: DatabaseContext): AsyncGenerator<readonly StoredPet[]> {
  const size = new BatchSize(MAX_PETS);
  const total = await database.countPets();
  for (let after: bigint | undefined, done = 0; ;) {
    const limit = size.count;
    const pets = await database.listPets(after, limit);
    size.learn(pets);
    yield pets;
    done += pets.length;
    await onProgress(done, Math.max(total, done));
    after = pets.at(-1)?.id;
    if (after === undefined || pets.length < limit) return;
  }
}

function rowsOf(pet: StoredPet, list: PetList): readonly PetListRow[] {
  const record = recordOfStored(pet);
  if (record === undefined) return [];
  return valuesOf(record, list).map((value) => ({ value, petId: pet.id, version: pet.version }));
}

/** Whether the pet of a row has its tag or photo. Unknown if the text of the pet is damaged, so its rows stay. */
function belongs({ value, petId, version, text }: PetListRow & { text: string | null }, list: PetList): boolean {
  if (text === null || version === undefined) return false;
  const record = recordOfStored({ id: petId, text });
  return record === undefined || valuesOf(record, list).some((each) => each.toWellFormed() === value);
}

function valuesOf({ tagNames, photoDigests }: PetRecord, list: PetList): readonly string[] {
  return list === 'tags' ? tagNames : photoDigests;
}

/** Undefined if the text is damaged. */
function recordOfStored({ id, text }: Pick<StoredPet, 'id' | 'text'>): PetRecord | undefined {
  try {
    const pet = readPetText(text);
    return pet.id === id ? recordOf(pet) : undefined;
  } catch {
    return undefined;
  }
}
