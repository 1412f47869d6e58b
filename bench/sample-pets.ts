import { PET_STATUSES, recordOf, type PetRecord } from '../src/domain/pets/pet.ts';

/* The pets that catalogues are filled with: each different, all of the same kind. */

const KINDS = ['Dogs', 'Cats', 'Rabbits', 'Lions'];
const NAMES = ['Biscuit', 'Juno', 'Waffles', 'Pepper', 'Olive', 'Bruno', 'Miso', 'Luna', 'Smokey', 'Nimbus', 'Ziggy'];
const TAGS = ['friendly', 'small', 'calm', 'clever', 'playful', 'shy', 'senior'];
const PHOTOS = 'https://pets.example.org/';

export function sampleRecord(id: number): PetRecord {
  const kind = id % KINDS.length;
  const tag = (offset: number) => ({ id: BigInt(1 + offset), name: TAGS[(id + offset) % TAGS.length] ?? '' });
  return recordOf({
    category: { id: BigInt(kind + 1), name: KINDS[kind] ?? '' },
    name: `${NAMES[id % NAMES.length]}`,
    photoUrls: [`${PHOTOS}${id}.jpg`],
    tags: [tag(0), tag(3)],
    status: PET_STATUSES[id % PET_STATUSES.length] ?? 'available',
  });
}

const kind = `id % ${KINDS.length} + 1`;
const status = elementOf(PET_STATUSES, 'id');
const label = '{"id":%s,"name":"%s"}';
const text = `{"id":%s,"category":${label},"name":"%s","photoUrls":["${PHOTOS}%s.jpg"],"tags":[${label},${label}],"status":"%s"}`;
const parts = [
  'id',
  kind,
  elementOf(KINDS, 'id'),
  elementOf(NAMES, 'id'),
  'id',
  '1',
  elementOf(TAGS, 'id'),
  '4',
  elementOf(TAGS, 'id + 3'),
  status,
];

/** The same pets as rows, made by PostgreSQL itself: ten million of them would take long through any writer. */
export const INSERT_SAMPLES = `insert into pet (id, version, status, text)
  select id, id, ${status}, format('${text}', ${parts.join(', ')}) from generate_series($1::int8, $2::int8) as id`;

function elementOf(values: readonly string[], number: string): string {
  return `(array['${values.join("','")}'])[(${number}) % ${values.length} + 1]`;
}
