import { setImmediate as nextIteration } from 'node:timers/promises';
import type { FoundProblem } from '../../domain/health/finding.ts';
import type { CheckedPet, PetList, PetListRow } from '../../domain/health/ports.ts';
import { BatchSize } from '../../domain/batches.ts';
import { readPetText, recordOf } from '../../domain/pets/pet.ts';
import { profileRecordOf, readProfileText } from '../../domain/pets/profile.ts';
import { findAll, problemOf, type DatabaseContext, type HealthCheck } from './check.ts';
import { photoUseCheck } from './database-checks.ts';

/* Checks of the texts of each pet, and of the rows that repeat its tags, its photos and its external id. */

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
        for (const pet of pets) if (valuesIn(pet) === undefined) damaged.push(`pet ${pet.id}`);
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

export const externalIdsCheck: HealthCheck<DatabaseContext> = {
  name: 'external-ids',
  find: (context) => findWrong(context, 'externalIds'),
  async repair(context) {
    await repairWrong(context, 'externalIds');
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

const PROBLEMS = {
  tags: 'tags-wrong',
  photos: 'photo-references-wrong',
  externalIds: 'external-ids-wrong',
} as const satisfies Record<PetList, string>;

function findWrong(context: DatabaseContext, list: PetList): Promise<readonly FoundProblem[]> {
  const subjects: string[] = [];
  const readAll = async () => {
    for await (const { add, remove } of wrongRows(context, list))
      for (const { value, petId } of [...add, ...remove]) subjects.push(`pet ${petId}: ${value}`);
  };
  return findAll([readAll, () => problemOf(PROBLEMS[list], subjects)]);
}

async function repairWrong(context: DatabaseContext, list: PetList): Promise<void> {
  for await (const rows of wrongRows(context, list)) await context.database.correctRows(list, rows);
}

/** Superfluous rows first: another pet may have got the external id of one. */
async function* wrongRows(context: DatabaseContext, list: PetList): AsyncGenerator<WrongRows> {
  const { database } = context;
  const size = new BatchSize(MAX_ROWS);
  for (let after: PetListRow | undefined; ;) {
    const limit = size.count;
    const rows = await database.listRows(list, after, limit);
    size.learn(rows.map(({ text }) => ({ text: text ?? '' })));
    const remove = rows.filter((row) => !belongs(row, list));
    if (remove.length > 0) yield { add: [], remove };
    after = rows.at(-1);
    if (after === undefined || rows.length < limit) break;
    await nextIteration();
  }
  for await (const pets of readPets(context)) {
    const wanted = pets.flatMap((pet) => rowsOf(pet, list));
    const add = wanted.length === 0 ? [] : await database.findAbsent(list, wanted);
    if (add.length > 0) yield { add, remove: [] };
  }
}

async function* readPets({ database, onProgress }: DatabaseContext): AsyncGenerator<readonly CheckedPet[]> {
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

function rowsOf(pet: CheckedPet, list: PetList): readonly PetListRow[] {
  return (valuesIn(pet)?.[list] ?? []).map((value) => ({ value, petId: pet.id, version: pet.version }));
}

/** Whether the pet of a row has the value. Unknown if a text of the pet is damaged, so its rows stay. */
function belongs(row: PetListRow & { text: string | null; profile: string | null }, list: PetList): boolean {
  const { value, petId, version, text, profile } = row;
  if (text === null || version === undefined) return false;
  const values = valuesIn({ id: petId, text, profile });
  return values === undefined || values[list].some((each) => each.toWellFormed() === value);
}

/** Undefined if a text is damaged. */
function valuesIn({
  id,
  text,
  profile,
}: Omit<CheckedPet, 'version'>): Readonly<Record<PetList, readonly string[]>> | undefined {
  try {
    const pet = readPetText(text);
    if (pet.id !== id) return undefined;
    const { tagNames, photoDigests } = recordOf(pet);
    const { externalId } = profileRecordOf(readProfileText(profile));
    return { tags: tagNames, photos: photoDigests, externalIds: externalId === null ? [] : [externalId] };
  } catch {
    return undefined;
  }
}
