import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { assertRefused, type CallOptions, type HttpResponse } from '../support/client.ts';
import { bearer, createKey, logIn, startSecuredService } from '../support/secured.ts';

/* Search by profiles, over HTTP. `test/stores/pet-search-suite.ts` compares it with a scan of all pets. */

const service = await startSecuredService({ after }, { clock: () => Date.parse('2026-08-31T12:00:00Z') });
const { call } = service;
const as = async (username: string): Promise<CallOptions> => ({ headers: bearer(await logIn(call, username)) });
const [root, edna, vera] = [await as('root'), await as('edna'), await as('vera')];

const label = { en: 'Label', de: 'Name' };
const OWN_FIELDS = [
  { key: 'temper', type: 'choice', label, isPublic: true, choices: [{ value: 'calm' }, { value: 'a:b, c' }] },
  { key: 'indoors', type: 'yes-no-unknown', label, isPublic: true },
  { key: 'secret', type: 'yes-no-unknown', label, isPublic: false },
  { key: 'note', type: 'text', label, isPublic: true },
];

const PROFILES: readonly (object | undefined)[] = [
  {
    species: 'dog',
    breedPrimary: 'Labrador, black',
    breedSecondary: 'Boxer',
    sex: 'female',
    size: 'L',
    birthDate: '2026-02-28',
    intakeDate: '2026-08-01',
    location: 'east',
    coat: 'short',
    goodWithChildren: true,
    goodWithDogs: true,
    own: { temper: 'calm', indoors: true, secret: true, note: 'x' },
  },
  { species: 'dog', breedPrimary: 'Boxer', birthDate: '2026-03-01', intakeDate: '2025-12-31', goodWithChildren: true },
  { species: 'cat', sex: 'male', goodWithDogs: false, own: { temper: 'a:b, c', indoors: false }, microchip: '123' },
  undefined,
  // Only this one has its breed, tag, category and word.
  { species: 'rabbit', breedPrimary: 'Angora', intakeDate: '2020-01-01', isPublished: false, location: 'west' },
];
const DRAFT = { category: { name: 'Rabbits' }, tags: ['fluffy'], status: 'pending', name: 'Hopkins' };

before(async () => {
  const locations = ['east', 'west'].map((id) => ({ id, name: id }));
  assert.equal((await call('PUT', 'organisation', { ...root, json: { locations } })).status, 200);
  assert.equal((await call('PUT', 'own-fields', { ...root, json: { fields: OWN_FIELDS } })).status, 200);
  for (const [index, profile] of PROFILES.entries()) {
    const id = index + 1;
    const pet = { id, name: `Pet ${id}`, tags: ['nice'], ...(id === 5 && DRAFT) };
    assert.equal((await call('POST', 'pet', { ...edna, json: pet })).status, 200);
    if (profile === undefined) continue;
    const response = await call('PUT', `pet/${id}/profile`, { ...edna, json: profile });
    assert.equal(response.status, 200, response.text);
  }
});

function read({ status, text }: HttpResponse): unknown {
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

interface Found {
  pets: readonly { id: number }[];
  total: number;
  correctedText?: string;
  next?: string;
  profiles?: readonly { petId: number; profile: object }[];
}

const find = async (query: string, options?: CallOptions) => read(await call('GET', `pet?${query}`, options)) as Found;

async function factsOf(query: string, options?: CallOptions) {
  const { profiles } = await find(`include=facts&sort=id&${query}`, options);
  return profiles?.map(({ petId, profile }) => [petId, profile]);
}

async function idsOf(query: string, options?: CallOptions): Promise<readonly number[]> {
  const { pets, total } = await find(query, options);
  const ids = pets.map(({ id }) => id);
  assert.equal(total, ids.length);
  return ids;
}

const statistics = async (options?: CallOptions) =>
  read(await call('GET', 'statistics', options)) as { total: number; statuses: unknown };

interface Counted {
  name?: string;
  status?: string;
  count: number;
}

type Facets = Readonly<Record<string, readonly Counted[] | readonly { key: string; values: readonly Counted[] }[]>>;

/** The values of each facet and their counts as one text. */
async function facets(query: string, options?: CallOptions): Promise<Readonly<Record<string, string>>> {
  const found = read(await call('GET', `facets?${query}`, options)) as Facets;
  const textOf = (values: Facets[string]): string =>
    values
      .map((each) =>
        'values' in each ? `${each.key} (${textOf(each.values)})` : `${each.name ?? each.status ?? ''} ${each.count}`,
      )
      .join('; ');
  return Object.fromEntries(Object.entries(found).map(([name, values]) => [name, textOf(values)]));
}

void describe('search by profiles', () => {
  const questions: readonly [query: string, ids: readonly number[]][] = [
    ['species=dog', [1, 2]],
    ['species=dog,cat', [1, 2, 3]],
    ['species=cat&species[]=dog&goodWith=children', [1, 2]],
    ['species=horse', []],
    ['breed=Boxer', [1, 2]],
    ['breed=Labrador,%20black', [1]],
    ['breed=boxer', []],
    ['text=labr', [1]],
    ['text=lbarador', [1]],
    ['text=boxer%20pet', [1, 2]],
    ['sex=female,male', [1, 3]],
    ['size=L', [1]],
    ['coat=short', [1]],
    ['goodWith=children,dogs', [1]],
    ['goodWith=dogs', [1]],
    ['location=east', [1]],
    ['location=east&location=west', [1]],
    // On this day, the first one is half a year old.
    ['age=baby', [2]],
    ['age=young', [1]],
    ['age=baby,young&sex=female', [1]],
    ['own=temper:calm', [1]],
    ['own=temper:calm&own=temper:a:b,%20c', [1, 3]],
    ['own=temper:calm&own=indoors:false', []],
    ['own=indoors:true', [1]],
    ['published=true', [1, 2, 3, 4]],
    // Pets without an intake date come last, by id.
    ['sort=longest-stay', [2, 1, 3, 4]],
    ['sort=species', [1, 2, 3, 4]],
    ['sort=location&location=west&location=east', [1]],
    ['sort=species&species=cat,dog&sex=male', [3]],
  ];
  for (const [query, ids] of questions)
    void it(query, async () => {
      assert.deepEqual(await idsOf(query), ids);
    });

  void it('by stay: pages continue across the pets without an intake date', async () => {
    for (const limit of [1, 2, 3]) {
      const met: number[] = [];
      for (let cursor = ''; ;) {
        const page: Found = await find(`sort=longest-stay&limit=${limit}${cursor}`, edna);
        met.push(...page.pets.map(({ id }) => id));
        if (page.next === undefined) break;
        cursor = `&cursor=${page.next}`;
      }
      assert.deepEqual(met, [5, 2, 1, 3, 4]);
    }
  });

  void it('invalid values: are refused with the valid ones', async () => {
    for (const query of [
      'species=lion',
      'sex=',
      'age=old',
      'size=XXL',
      'coat=wet',
      'goodWith=lions',
      'breed=',
      'location=',
      'own=temper',
      'own=:calm',
      'own=temper:',
      'own=unknown:calm',
      'own=note:x',
      'own=constructor:x',
      'published=no',
      'include=photos',
      'sort=stay',
      'sort=location',
      'own[temper]=calm',
    ])
      for (const path of ['pet', 'facets'])
        if (!(path === 'facets' && /^(?:include|sort)=/.test(query)))
          assertRefused(await call('GET', `${path}?${query}`), 400, query);
  });

  void it('own fields that are not public: only for those who may change pets', async () => {
    assertRefused(await call('GET', 'pet?own=secret:true'), 400);
    assertRefused(await call('GET', 'facets?own=secret:true', vera), 400);
    assert.deepEqual(await idsOf('own=secret:true', edna), [1]);
  });

  void it('facets: the values that pets have, counted beside the other filters', async () => {
    assert.deepEqual(await facets(''), {
      statuses: 'available 0; pending 0; sold 0; none 4',
      categories: '',
      tags: 'nice 4',
      breeds: 'Boxer 2; Labrador, black 1',
      species: 'dog 2; cat 1',
      sexes: 'female 1; male 1',
      ages: 'baby 1; young 1',
      sizes: 'L 1',
      coats: 'short 1',
      goodWith: 'children 2; dogs 1',
      locations: 'east 1',
      own: 'temper (calm 1; a:b, c 1); indoors (true 1; false 1)',
    });
    const { species, ages, goodWith, breeds, own } = await facets('species=cat&age=senior&goodWith=dogs');
    assert.deepEqual([species, ages], ['dog 0; cat 0', 'baby 0; young 0; senior 0']);
    assert.deepEqual([goodWith, breeds], ['children 0; dogs 0', 'Boxer 0; Labrador, black 0']);
    assert.equal(own, 'temper (calm 0; a:b, c 0); indoors (true 0; false 0)');
    const ofDogs = await facets('species=dog', edna);
    assert.deepEqual([ofDogs['species'], ofDogs['published']], ['dog 2; cat 1; rabbit 1', 'true 2; false 0']);
  });

  void it('suggestions: complete breeds', async () => {
    const { breeds } = read(await call('GET', 'suggestions?text=pet%20labr')) as { breeds: unknown };
    assert.deepEqual(breeds, [{ name: 'Labrador, black', text: 'pet', count: 1 }]);
  });

  void it('include=profile: the profiles of the page, as their reader may see them', async () => {
    assert.equal((await find('text=pet')).profiles, undefined);
    const { profiles } = await find('include=profile&sort=id');
    assert.deepEqual(
      profiles?.map(({ petId }) => petId),
      [1, 2, 3],
    );
    assert.deepEqual(profiles?.[2]?.profile, {
      species: 'cat',
      sex: 'male',
      goodWithDogs: false,
      own: { temper: 'a:b, c', indoors: false },
    });
    const toStaff = await find('include=profile&species=cat,rabbit', edna);
    assert.deepEqual(
      toStaff.profiles?.map(({ profile }) => profile),
      [PROFILES[2], PROFILES[4]],
    );
    assert.deepEqual((await find('include=profile&text=pet%204')).profiles, []);
  });

  void it('include=facts: what cards show, and for staff which pets are drafts', async () => {
    assert.deepEqual(await factsOf(''), [
      [
        1,
        {
          species: 'dog',
          breedPrimary: 'Labrador, black',
          breedSecondary: 'Boxer',
          sex: 'female',
          size: 'L',
          birthDate: '2026-02-28',
          location: 'east',
          intakeDate: '2026-08-01',
        },
      ],
      [2, { species: 'dog', breedPrimary: 'Boxer', birthDate: '2026-03-01', intakeDate: '2025-12-31' }],
      [3, { species: 'cat', sex: 'male' }],
    ]);
    assert.deepEqual(await factsOf('species=rabbit', edna), [
      [
        5,
        { species: 'rabbit', breedPrimary: 'Angora', location: 'west', intakeDate: '2020-01-01', isPublished: false },
      ],
    ]);
  });
});

void test('include=profile: pages of long profiles are short, and lead to all pets', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => 101 + index);
  const own = Object.fromEntries(['note'].map((key) => [key, 'x'.repeat(2000)]));
  for (const id of ids) {
    await call('POST', 'pet', { ...edna, json: { id, name: 'Long' } });
    const json = { description: '\u0001'.repeat(20_000), own };
    assert.equal((await call('PUT', `pet/${id}/profile`, { ...edna, json })).status, 200);
  }
  const met: number[] = [];
  const lengths: number[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page = await find(`text=long&include=profile&limit=1000${cursor && `&cursor=${cursor}`}`);
    assert.deepEqual(
      page.profiles?.map(({ petId }) => petId),
      page.pets.map(({ id }) => id),
    );
    met.push(...page.pets.map(({ id }) => id));
    lengths.push(JSON.stringify(page).length);
    cursor = page.next;
  }
  assert.deepEqual(met, ids);
  assert.ok(lengths.length > 1 && Math.max(...lengths) < 5 * 1024 * 1024, lengths.join());
  for (const id of ids) await call('DELETE', `pet/${id}`, edna);
});

void describe('drafts', () => {
  const hidden: readonly (readonly [who: string, options: CallOptions | undefined])[] = [
    ['anonymous clients', undefined],
    ['viewers', vera],
  ];
  for (const [who, options] of hidden)
    void it(`${who}: neither find nor count them, nor what only drafts have`, async () => {
      for (const query of [
        '',
        'text=hopkins',
        'text=hopk',
        'text=hokpins',
        'text=angora',
        'text=ho',
        'status=pending',
        'tags=fluffy',
        'category=Rabbits',
        'breed=Angora',
        'species=rabbit',
        'location=west',
      ]) {
        const { pets, correctedText } = await find(query, options);
        assert.ok(!pets.some(({ id }) => id === 5), query);
        assert.equal(correctedText, undefined);
      }
      const all = JSON.stringify([
        await facets('', options),
        read(await call('GET', 'suggestions?text=ho', options)),
        read(await call('GET', 'suggestions?text=r', options)),
        read(await call('GET', 'suggestions?text=angora', options)),
        read(await call('GET', 'tags', options)),
        read(await call('GET', 'tags?text=fl', options)),
        read(await call('GET', 'categories', options)),
        { ...(await statistics(options)), days: [] },
      ]);
      assert.doesNotMatch(all, /hopk|fluffy|rabbit|angora|west|published/i);
      const { total, statuses } = await statistics(options);
      assert.deepEqual(
        [total, statuses],
        [4, ['available', 'pending', 'sold'].map((status) => ({ status, count: 0 }))],
      );
      assertRefused(await call('GET', 'pet?published=false', options), 403);
      assertRefused(await call('GET', 'facets?published=false', options), 403);
      assertRefused(await call('GET', 'suggestions?text=x&published=false', options), 403);
    });

  void it('those who may change pets: find and count them', async () => {
    const session = edna.headers?.['authorization']?.replace('Bearer ', '') ?? '';
    const { key } = await createKey(call, session, ['write:pets']);
    for (const options of [edna, root, { headers: bearer(key) }]) {
      assert.deepEqual(await idsOf('published=false', options), [5]);
      assert.deepEqual(await idsOf('text=hopk&status=pending', options), [5]);
      assert.deepEqual(await idsOf('breed=Angora', options), [5]);
      const { published, tags, categories } = await facets('', options);
      assert.deepEqual([published, tags, categories], ['true 4; false 1', 'nice 4; fluffy 1', 'Rabbits 1']);
      assert.deepEqual(read(await call('GET', 'tags?text=fl', options)), [{ name: 'fluffy', count: 1 }]);
      assert.equal((await statistics(options)).total, 5);
    }
    // A key that may only read sees what everyone sees.
    const reading = await createKey(call, session, ['read:pets'], { name: 'reading' });
    assert.deepEqual(await idsOf('species=rabbit', { headers: bearer(reading.key) }), []);
  });

  void it('are found by everyone from their publication on, and no more when it is taken back', async () => {
    const publish = (isPublished: boolean) => call('PATCH', 'pet/5/profile', { ...edna, json: { isPublished } });
    await publish(true);
    assert.deepEqual(await idsOf('text=hopk'), [5]);
    assert.equal((await find('text=hokpins')).correctedText, 'hopkins');
    assert.deepEqual(await idsOf('published=false', edna), []);
    await publish(false);
    assert.deepEqual(await idsOf('text=hopk'), []);
    assert.equal((await find('text=hokpins')).correctedText, undefined);
  });
});
