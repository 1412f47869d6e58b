import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { importConfig } from '../../src/features/listings/domain/adoptapet.ts';
import type { Listed, SitePet } from '../../src/features/listings/domain/listing-feeds.ts';
import type { ListingFile } from '../../src/features/listings/domain/listing-files.ts';
import type { ListingPet } from '../../src/features/listings/domain/listing-pet.ts';
import {
  fieldOfProblem,
  isRefused,
  type ListingProblem,
  type SiteId,
} from '../../src/features/listings/domain/listing-site.ts';
import { LISTING_SITES } from '../../src/features/listings/domain/listing-sites.ts';
import type { Profile } from '../../src/domain/pets/profile.ts';
import { listingTexts } from '../../src/features/listings/transfer/listing-texts.ts';

/* The rules of each site: its columns in their order, its words, and what it refuses. */

const NOW_MS = Date.UTC(2026, 10, 26, 12);

const PROFILE: Profile = {
  species: 'dog',
  breedPrimary: 'Labrador Retriever',
  breedSecondary: 'Boxer',
  breedIsMixed: true,
  sex: 'female',
  birthDate: '2023-02-05',
  size: 'L',
  colours: ['black', 'White'],
  coat: 'short',
  isAltered: true,
  vaccinationsAreCurrent: false,
  hasSpecialNeeds: true,
  specialNeedsNote: 'Diabetic.\nTwo injections a day.',
  goodWithChildren: true,
  goodWithDogs: false,
  isHouseTrained: true,
  intakeDate: '2026-11-01',
  summary: 'A calm dog.',
  description: '…',
  feeAmount: 250,
  feeCurrency: 'USD',
  feeIsWaived: false,
  videoUrls: ['https://example.org/film', 'https://youtu.be/abcDEF_123'],
  externalId: 'A-7',
};

function petWith(profile: Partial<Profile> = {}, other: Partial<ListingPet> = {}): ListingPet {
  return {
    id: 7n,
    name: 'Luna "the\nsecond"',
    url: 'https://pets.example.org/pets/7',
    status: 'available',
    category: 'Dogs',
    tags: ['calm', 'one, two', 'house dog'],
    profile: { ...PROFILE, ...profile },
    lacksCurrency: false,
    story: 'First line, with "quotes" & <b>.\nSecond.\n\n=1+1',
    photos: [
      { url: 'https://pets.example.org/v2/photo/a/large?format=jpeg&v=1', pixels: { width: 1600, height: 1200 } },
      { url: 'https://pets.example.org/v2/photo/b/large?format=jpeg&v=2', pixels: { width: 200, height: 900 } },
      { url: 'https://other.example.org/dog.jpg', pixels: undefined },
      { url: 'C:\\dog.jpg', pixels: undefined },
    ],
    changedAtMs: NOW_MS,
    ...other,
  };
}

const without = (...fields: readonly (keyof Profile)[]): Profile =>
  Object.fromEntries(Object.entries(PROFILE).filter(([name]) => !fields.includes(name as keyof Profile)));

function rowIn(site: SiteId, pet: ListingPet): Record<string, string> {
  const { columns, rowOf } = LISTING_SITES[site];
  const { cells } = rowOf(pet, NOW_MS);
  assert.equal(cells.length, columns.length);
  return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']));
}

function problemsIn(site: SiteId, pet: ListingPet): readonly ListingProblem[] {
  return LISTING_SITES[site].rowOf(pet, NOW_MS).problems;
}

const breedOf = (profile: Partial<Profile>) => rowIn('petfinder', petWith(profile))['PrimaryBreed'];
const sizeOf = (profile: Partial<Profile>) => rowIn('adoptapet', petWith(profile))['Size'];
const rowWith = (profile: Partial<Profile>) => rowIn('adoptapet', petWith(profile));
const refusalsOf = (profile: Profile) =>
  problemsIn('rescuegroups', petWith({}, { profile })).filter((one) => one.isRefusal);
const neededFields = (site: SiteId, profile: Profile) =>
  problemsIn(site, petWith({}, { profile }))
    .filter(({ isRefusal }) => isRefusal)
    .map(({ code }) => fieldOfProblem(code));
const codesIn = (site: SiteId, pet: ListingPet) => problemsIn(site, pet).map(({ code }) => code);

async function fileOf(site: SiteId, file: ListingFile, pets: readonly ListingPet[]): Promise<string> {
  const rows: SitePet[] = pets.map((pet) => ({ pet, ...LISTING_SITES[site].rowOf(pet, NOW_MS) }));
  async function* pages() {
    for (const row of rows) yield [row];
    yield [];
  }
  const listed: Listed = { organisation: { name: 'Tierheim' }, pets: pages() };
  return (await Array.fromAsync(listingTexts(site, file, listed))).join('');
}

const PETFINDER_HEADER =
  'ID,Internal,AnimalName,PrimaryBreed,SecondaryBreed,Sex,Size,Age,Desc,Type,Status,Shots,Altered,NoDogs,NoCats,NoKids,' +
  'Housetrained,Declawed,specialNeeds,Mix,photo1,photo2,photo3,photo4,photo5,photo6,arrival_date,birth_date,primaryColor,' +
  'secondaryColor,tertiaryColor,coat_length,adoption_fee,display_adoption_fee,adoption_fee_waived,special_needs_notes,' +
  'no_other,no_other_note,tags';

const RESCUEGROUPS_HEADER =
  'externalID,internalID,rescueID,name,status,type,priBreed,secBreed,mix,sex,age,okwithdogs,okwithcats,okwithkids,declawed,' +
  'housebroken,specialNeeds,altered,size,uptodate,color,pattern,coatLength,courtesy,dsc,found,foundDate,foundZipcode,' +
  'photo1,photo2,photo3,photo4,videoUrl';

void describe('listing at Petfinder', () => {
  void it('has 39 columns in their order', () => {
    assert.equal(LISTING_SITES.petfinder.columns.length, 39);
    assert.equal(LISTING_SITES.petfinder.columns.join(), PETFINDER_HEADER);
  });

  void it('has the words of the site', () => {
    assert.deepEqual(rowIn('petfinder', petWith()), {
      ID: '7',
      Internal: 'A-7',
      AnimalName: 'Luna "the second"',
      PrimaryBreed: 'Labrador Retriever',
      SecondaryBreed: 'Boxer',
      Sex: 'F',
      Size: 'L',
      Age: 'Adult',
      Desc: 'A calm dog.&#10;&#10;First line, with "quotes" & <b>.&#10;Second.&#10;&#10;=1+1',
      Type: 'Dog',
      Status: 'A',
      Shots: '',
      Altered: '1',
      NoDogs: '1',
      NoCats: '',
      NoKids: '0',
      Housetrained: '1',
      Declawed: '',
      specialNeeds: '1',
      Mix: '1',
      photo1: 'https://pets.example.org/v2/photo/a/large?format=jpeg&v=1',
      photo2: 'https://other.example.org/dog.jpg',
      photo3: '',
      photo4: '',
      photo5: '',
      photo6: '',
      arrival_date: '2026-11-01',
      birth_date: '2023-02-05',
      primaryColor: 'Black',
      secondaryColor: 'White / Cream',
      tertiaryColor: '',
      coat_length: 'Short',
      adoption_fee: '250.00',
      display_adoption_fee: '1',
      adoption_fee_waived: '0',
      special_needs_notes: 'Diabetic.&#10;Two injections a day.',
      no_other: '',
      no_other_note: '',
      tags: 'calm,house dog',
    });
  });

  void it('inverts the columns that say no, and leaves them empty if nothing is known', () => {
    const known = rowIn('petfinder', petWith({ goodWithCats: true, goodWithOthers: false }));
    assert.deepEqual([known['NoCats'], known['no_other']], ['0', '1']);
    const unknown = rowIn('petfinder', petWith({}, { profile: without('goodWithDogs', 'goodWithChildren') }));
    assert.deepEqual([unknown['NoDogs'], unknown['NoKids'], unknown['NoCats']], ['', '', '']);
  });

  void it('holds a reserved pet, and refuses an adopted one', () => {
    assert.equal(rowIn('petfinder', petWith({}, { status: 'pending' }))['Status'], 'H');
    assert.deepEqual(codesIn('petfinder', petWith({}, { status: 'sold', photos: [] })), [
      'status-not-listed',
      'photo-missing',
    ]);
    assert.ok(isRefused({ problems: problemsIn('petfinder', petWith({}, { status: undefined })) }));
  });

  void it('says what the site refuses and what it leaves out', () => {
    assert.deepEqual(problemsIn('petfinder', petWith()), [
      { code: 'photo-not-public', isRefusal: false },
      { code: 'photo-too-small', isRefusal: false },
    ]);
    const pet = petWith(
      {
        breedPrimary: 'Wolpertinger',
        breedSecondary: 'Elwetritsch',
        sex: 'unknown',
        colours: ['pink'],
        feeCurrency: 'EUR',
      },
      { photos: [], story: '' },
    );
    assert.deepEqual(problemsIn('petfinder', { ...pet, profile: { ...pet.profile, summary: '' } }), [
      { code: 'breed-unknown', isRefusal: true, value: 'Wolpertinger' },
      { code: 'second-breed-unknown', isRefusal: false, value: 'Elwetritsch' },
      { code: 'sex-missing', isRefusal: true },
      { code: 'photo-missing', isRefusal: false },
      { code: 'colour-unknown', isRefusal: false, value: 'pink' },
      { code: 'fee-currency-unknown', isRefusal: false, value: 'EUR' },
      { code: 'story-missing', isRefusal: false },
    ]);
    const refusals = problemsIn('petfinder', petWith({}, { profile: {}, name: ' ' })).filter((one) => one.isRefusal);
    assert.deepEqual(refusals.map(({ code }) => code).toSorted(), [
      'age-missing',
      'breed-missing',
      'name-missing',
      'sex-missing',
      'size-missing',
      'species-missing',
    ]);
  });

  void it('has a size that follows from the weight of an adult or a pure breed, and says so', () => {
    const sizeIn = (profile: Profile, ...absent: readonly (keyof Profile)[]) => {
      const pet = petWith(
        {},
        { profile: { ...without('size', 'breedSecondary', 'breedIsMixed', ...absent), ...profile } },
      );
      const { Size } = rowIn('petfinder', pet);
      const problem = problemsIn('petfinder', pet).find(({ code }) => code.startsWith('size'));
      if (Size === '') assert.deepEqual(problem, { code: 'size-missing', isRefusal: true });
      else assert.deepEqual(problem, { code: 'size-derived', isRefusal: false, value: Size });
      return Size;
    };
    assert.equal(sizeIn({ weightKg: 30 }), 'L');
    assert.deepEqual(
      [11.3, 11.6, 27.2, 27.8, 45.4, 46].map((weightKg) => sizeIn({ weightKg })),
      'S M M L L XL'.split(' '),
    );
    assert.equal(sizeIn({ species: 'cat', breedPrimary: 'Bengal', weightKg: 4.2 }), 'M');
    assert.equal(sizeIn({ weightKg: 9, birthDate: '2026-08-01' }), '', 'a puppy grows');
    assert.equal(sizeIn({ weightKg: 30 }, 'birthDate'), '', 'perhaps a puppy');
    assert.equal(sizeIn({ species: 'horse', breedPrimary: 'Arabian', weightKg: 400 }), '');
    assert.equal(sizeIn({ breedPrimary: 'Chihuahua', birthDate: '2026-08-01' }), 'S');
    assert.equal(sizeIn({ breedPrimary: 'Shetland Sheepdog / Sheltie' }), 'S');
    assert.equal(sizeIn({ breedPrimary: 'great dane' }), 'XL');
    assert.equal(sizeIn({ breedPrimary: 'Chihuahua', weightKg: 13 }), 'M', 'the weight says more');
    for (const mix of [{ breedIsMixed: true }, { breedSecondary: 'Boxer' }, { breedPrimary: 'Chihuahua Mix' }])
      assert.equal(sizeIn({ breedPrimary: 'Chihuahua', ...mix }), '');
    assert.equal(sizeIn({ breedPrimary: 'Labrador Retriever' }), '', 'such dogs have two sizes');
    assert.equal(sizeIn({ breedPrimary: 'Siberian', species: 'cat' }), '');
    assert.deepEqual(rowIn('adoptapet', petWith({}, { profile: without('size') }))['Size'], '');
  });

  void it('knows breeds under the names that the form suggests', () => {
    assert.equal(breedOf({ breedPrimary: 'Bichon Frisé' }), 'Bichon Frise');
    assert.equal(breedOf({ breedPrimary: 'Welsh Corgi (Pembroke)' }), 'Pembroke Welsh Corgi');
    assert.equal(breedOf({ breedPrimary: 'shetland sheepdog' }), 'Shetland Sheepdog / Sheltie');
    assert.equal(breedOf({ species: 'cat', breedPrimary: 'Domestic Shorthair' }), 'Domestic Short Hair');
    assert.equal(breedOf({ species: 'cat', breedPrimary: 'Boxer' }), '');
  });
});

void describe('problems of listings', () => {
  void it('name the field of the profile that solves them', () => {
    const profile: Profile = { breedPrimary: 'Wolpertinger', colours: ['pink'] };
    assert.deepEqual(neededFields('petfinder', profile), ['sex', 'size', 'birthDate', 'species']);
    assert.deepEqual(neededFields('petfinder', { ...profile, species: 'dog' }), [
      'breedPrimary',
      'sex',
      'size',
      'birthDate',
    ]);
    assert.deepEqual(neededFields('adoptapet', { species: 'cat' }), ['breedPrimary', 'birthDate', 'sex']);
    for (const code of ['status-not-listed', 'name-missing', 'photo-missing'] as const)
      assert.equal(fieldOfProblem(code), undefined, code);
  });

  void it('do not call a breed unknown while the species is missing', () => {
    const pet = petWith({}, { profile: without('species') });
    for (const site of ['petfinder', 'adoptapet', 'rescuegroups'] as const)
      assert.deepEqual(
        problemsIn(site, pet).filter(({ isRefusal }) => isRefusal),
        [{ code: 'species-missing', isRefusal: true }],
        site,
      );
  });
});

void describe('listing at Adopt-a-Pet', () => {
  void it('names its columns in import.cfg, because the table has no header', async () => {
    const lines = LISTING_SITES.adoptapet.columns.map((column, index) => `#${index + 1}:${column}=${column}`);
    assert.deepEqual(importConfig().split('\r\n'), [...lines, '']);
    assert.equal(await fileOf('adoptapet', 'import.cfg', []), importConfig());
  });

  void it('has the words of the site', () => {
    assert.deepEqual(rowIn('adoptapet', petWith()), {
      Id: '7',
      Animal: 'Dog',
      Breed: 'Labrador Retriever',
      Breed2: 'Boxer',
      Purebred: '0',
      Age: 'Adult',
      Name: 'Luna "the second"',
      Size: 'L',
      Sex: 'F',
      Color: 'Black - with White',
      Description: 'A calm dog.<br><br>First line, with "quotes" &amp; &lt;b&gt;.<br>Second.<br><br>=1+1',
      Status: 'Available',
      GoodWKids: '1',
      GoodWCats: '',
      GoodWDogs: '0',
      SpayedNeutered: '1',
      ShotsCurrent: '0',
      Housetrained: '1',
      Declawed: '',
      SpecialNeeds: '1',
      HairLength: '',
      YouTubeVideoURL: 'https://www.youtube.com/watch?v=abcDEF_123',
      Birthdate: '02/05/2023',
      AdoptionFee: '250.00',
      PhotoURL: 'https://pets.example.org/v2/photo/a/large?format=jpeg&v=1',
      Cratetrained: '',
      HeartwormNegative: '',
      HeartwormPositive: '',
      Leashtrained: '',
      IndoorOnly: '',
      FIVPositive: '',
      SpecialDietaryNeeds: '',
    });
    const tested = rowWith({
      isHeartwormPositive: false,
      isFivPositive: true,
      isIndoorOnly: true,
      isCrateTrained: false,
    });
    assert.deepEqual(
      ['HeartwormNegative', 'HeartwormPositive', 'FIVPositive', 'IndoorOnly', 'Cratetrained'].map(
        (name) => tested[name],
      ),
      ['1', '0', '1', '1', '0'],
    );
  });

  void it('has a size for dogs and cats only', () => {
    assert.equal(sizeOf({ species: 'cat', breedPrimary: 'Bengal' }), 'L');
    assert.equal(sizeOf({ species: 'rabbit', breedPrimary: 'Dutch' }), '');
    assert.equal(sizeOf({ species: 'barnyard', breedPrimary: 'Goat' }), '');
  });

  void it('has mixes by size, and hair of animals that have it there', () => {
    assert.equal(rowWith({ breedPrimary: 'Mischling', size: 'S' })['Breed'], 'Mixed Breed (Small)');
    assert.equal(rowWith({ breedPrimary: 'Terrier', size: 'S' })['Breed'], 'Terrier (Unknown Type, Small)');
    assert.equal(rowWith({ species: 'rabbit', breedPrimary: 'Dutch', coat: 'long' })['HairLength'], 'Long');
    assert.equal(rowWith({ species: 'rabbit', breedPrimary: 'Dutch', coat: 'medium' })['HairLength'], '');
  });

  void it('refuses a reserved pet, for which it has no status', () => {
    const problems = problemsIn('adoptapet', petWith({}, { status: 'pending' }));
    assert.ok(problems.some(({ code, isRefusal }) => code === 'status-not-listed' && isRefusal));
  });
});

void describe('listing at RescueGroups', () => {
  void it('has its columns in their order', () => {
    assert.equal(LISTING_SITES.rescuegroups.columns.join(), RESCUEGROUPS_HEADER);
  });

  void it('has the words of the site', () => {
    const row = rowIn('rescuegroups', petWith({}, { status: 'pending' }));
    const filled = Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== ''));
    assert.deepEqual(filled, {
      externalID: '7',
      internalID: 'A-7',
      name: 'Luna "the second"',
      status: 'Hold',
      type: 'Dog',
      priBreed: 'Labrador Retriever',
      secBreed: 'Boxer',
      mix: 'Yes',
      sex: 'Female',
      age: 'Adult',
      okwithdogs: 'No',
      okwithkids: 'Yes',
      housebroken: 'Yes',
      specialNeeds: 'Yes',
      altered: 'Yes',
      size: 'Large',
      uptodate: 'No',
      color: 'Black',
      coatLength: 'Short',
      courtesy: 'No',
      dsc: 'A calm dog.<br><br>First line, with "quotes" &amp; &lt;b&gt;.<br>Second.<br><br>=1+1',
      photo1: 'https://pets.example.org/v2/photo/a/large?format=jpeg&v=1',
      photo2: 'https://other.example.org/dog.jpg',
      videoUrl: 'https://www.youtube.com/watch?v=abcDEF_123',
    });
  });

  void it('needs no sex, and no breed of dogs', () => {
    assert.deepEqual(refusalsOf({ species: 'dog' }), []);
    assert.deepEqual(refusalsOf({ species: 'cat' }), [{ code: 'breed-missing', isRefusal: true }]);
  });

  void it('has a species for each kind of small pets, and refuses long names', () => {
    const row = rowIn('rescuegroups', petWith({ species: 'small-furry', breedPrimary: 'Skinny Pig' }));
    assert.equal(row['type'], 'Small & Furry');
    assert.equal(
      rowIn('rescuegroups', petWith({ species: 'small-furry', breedPrimary: 'Guinea Pig' }))['type'],
      'Guinea Pig',
    );
    assert.ok(codesIn('rescuegroups', petWith({}, { name: 'x'.repeat(51) })).includes('name-too-long'));
  });
});

void describe('files of listings', () => {
  const TABLES = ['petfinder', 'adoptapet', 'rescuegroups'] as const;

  void it('are empty without pets, except for the header of those that have one', async () => {
    const [petfinder, adoptapet, rescuegroups] = await Promise.all(TABLES.map((site) => fileOf(site, 'pets.csv', [])));
    assert.deepEqual(parse(petfinder ?? ''), [PETFINDER_HEADER.split(',')]);
    assert.equal(adoptapet, '');
    assert.deepEqual(parse(rescuegroups ?? ''), [RESCUEGROUPS_HEADER.split(',')]);
    assert.deepEqual(JSON.parse(await fileOf('open', 'pets.json', [])), {
      formatVersion: 1,
      organisation: { name: 'Tierheim' },
      pets: [],
    });
  });

  void it('are UTF-8 without a mark, with one line for each pet', async () => {
    const hostile = petWith({}, { name: '=cmd|"Ä"\r\n\u2028🐕', story: 'a\r\nb\rc\u2029d' });
    for (const site of TABLES) {
      const text = await fileOf(site, 'pets.csv', [hostile, petWith()]);
      assert.notEqual(text.charCodeAt(0), 0xfeff);
      const lines = text.split('\r\n').slice(site === 'adoptapet' ? 0 : 1);
      assert.equal(lines.length, 3, site);
      assert.doesNotMatch(lines.join(''), /[\r\n\u2028\u2029]/);
      const rows: string[][] = parse(text, { from: site === 'adoptapet' ? 1 : 2 });
      const column = LISTING_SITES[site].columns.findIndex((name) => /^(?:AnimalName|Name|name)$/.test(name));
      assert.deepEqual(
        rows.map((row) => row[column]),
        ['=cmd|"Ä" 🐕', 'Luna "the second"'],
      );
    }
  });
});
