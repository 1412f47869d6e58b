import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListingPet } from '../../src/features/listings/domain/listing-pet.ts';
import type { SiteId } from '../../src/features/listings/domain/listing-site.ts';
import { LISTING_SITES } from '../../src/features/listings/domain/listing-sites.ts';
import type { Profile, Species } from '../../src/domain/pets/profile.ts';
import { readBreeds } from '../../src/transfer/profiles/profile-breeds.ts';
import {
  ADOPTAPET_BREEDS,
  ADOPTAPET_COLOURS,
  FORMER_PETFINDER_BREEDS,
  namesIn,
  PETFINDER_BREEDS,
} from '../support/site-lists.ts';

/* The names of breeds and colours that the sites themselves use, as entered by hand or imported from another program. */

const TABLES = ['petfinder', 'adoptapet', 'rescuegroups'] as const;
type Table = (typeof TABLES)[number];

const BREED_COLUMN: Readonly<Record<Table, string>> = {
  petfinder: 'PrimaryBreed',
  adoptapet: 'Breed',
  rescuegroups: 'priBreed',
};

function cellOf(site: SiteId, column: string, profile: Profile): string {
  const pet: ListingPet = {
    id: 1n,
    name: 'Luna',
    url: 'https://pets.example.org/pets/1',
    status: 'available',
    category: undefined,
    tags: [],
    profile,
    lacksCurrency: false,
    story: '',
    photos: [],
    changedAtMs: 0,
  };
  const { columns, rowOf } = LISTING_SITES[site];
  return rowOf(pet, 0).cells[columns.indexOf(column)] ?? '';
}

function breedAt(site: Table, species: Species, breedPrimary: string): string {
  return cellOf(site, BREED_COLUMN[site], { species, breedPrimary });
}

function entriesIn(lists: Partial<Record<Species, string>>): readonly (readonly [Species, string])[] {
  return Object.entries(lists).flatMap(([species, list]) =>
    namesIn(list).map((name) => [species as Species, name] as const),
  );
}

const ALL_BREEDS = [...entriesIn(PETFINDER_BREEDS), ...entriesIn(FORMER_PETFINDER_BREEDS)];

const COLOUR_COLUMN: Readonly<Record<Table, string>> = {
  petfinder: 'primaryColor',
  adoptapet: 'Color',
  rescuegroups: 'color',
};

function colourAt(site: Table, species: Species, ...colours: readonly string[]): string {
  return cellOf(site, COLOUR_COLUMN[site], { species, colours });
}

void describe('breeds of listing sites', () => {
  void it('are known to every site, however one of them spells them', () => {
    const unknown = TABLES.flatMap((site) =>
      ALL_BREEDS.filter(([species, name]) => breedAt(site, species, name) === '').map((entry) => [site, ...entry]),
    );
    assert.deepEqual(unknown, []);
  });

  void it('are sent to Petfinder as it calls them', () => {
    for (const [species, name] of entriesIn(PETFINDER_BREEDS))
      assert.equal(breedAt('petfinder', species, name), name, `${species} ${name}`);
    for (const [species, name] of entriesIn(FORMER_PETFINDER_BREEDS)) {
      const current = PETFINDER_BREEDS[species];
      if (current === undefined) continue;
      const sent = breedAt('petfinder', species, name);
      assert.ok(namesIn(current).includes(sent) || sent === name, `${species} ${name}: ${sent}`);
    }
  });

  void it('are sent to Adopt-a-Pet as it calls them, and read as it calls them', () => {
    for (const pair of namesIn(ADOPTAPET_BREEDS)) {
      const [name = '', theirs = ''] = pair.split('=');
      const species = ALL_BREEDS.filter(([, known]) => known === name).map(([of]) => of);
      const sent = species.map((each) => breedAt('adoptapet', each, name));
      assert.ok(species.length === 0 || sent.includes(theirs), `${pair}: ${sent.join()}`);
      for (const site of TABLES)
        assert.ok(
          species.length === 0 || species.some((each) => breedAt(site, each, theirs) !== ''),
          `${site}: ${theirs}`,
        );
    }
  });

  void it('are known in another order, with a mark of a mix, and with nicknames', () => {
    for (const spelling of [
      'Labrador Retriever',
      'Retriever, Labrador',
      'Labrador Retriever Mix',
      'Labrador Retriever (mix)',
    ])
      assert.equal(breedAt('petfinder', 'dog', spelling), 'Labrador Retriever', spelling);
    assert.equal(breedAt('petfinder', 'dog', 'Yorkie'), 'Yorkshire Terrier');
    assert.equal(breedAt('adoptapet', 'dog', 'Schnauzer (Giant)'), 'Schnauzer (Giant)');
    assert.equal(breedAt('petfinder', 'dog', 'Poodle / Boxer'), '');
    assert.equal(breedAt('petfinder', 'dog', 'Other'), '');
  });

  void it('are imported as one breed if a site writes them with a slash', () => {
    const written = [
      ...ALL_BREEDS,
      ...namesIn(ADOPTAPET_BREEDS).map((pair) => ['dog', pair.split('=')[1] ?? ''] as const),
    ];
    for (const [, name] of written.filter(([, each]) => each.includes('/') && !each.startsWith('Other/')))
      assert.deepEqual([readBreeds(name).secondary, readBreeds(name).isMixed], [undefined, undefined], name);
    assert.equal(readBreeds('Shetland Sheepdog / Sheltie').primary, 'Shetland Sheepdog');
    assert.deepEqual(readBreeds('Sphynx / Hairless Cat Mix'), {
      primary: 'Sphynx',
      secondary: undefined,
      isMixed: true,
    });
    assert.deepEqual(readBreeds('Poodle / Boxer'), { primary: 'Poodle', secondary: 'Boxer', isMixed: true });
  });
});

void describe('colours of listing sites', () => {
  void it('are read as Adopt-a-Pet calls them', () => {
    for (const [species, name] of entriesIn(ADOPTAPET_COLOURS))
      assert.equal(colourAt('adoptapet', species, name), name, `${species} ${name}`);
  });

  void it('are known as people name them', () => {
    assert.equal(colourAt('petfinder', 'cat', 'Black and White'), 'Black & White / Tuxedo');
    assert.equal(colourAt('petfinder', 'cat', 'white & black'), 'Black & White / Tuxedo');
    assert.equal(colourAt('petfinder', 'cat', 'Tabby'), 'Tabby (Brown / Chocolate)');
    assert.equal(colourAt('petfinder', 'cat', 'Grey Tabby'), 'Tabby (Gray / Blue / Silver)');
    assert.equal(colourAt('petfinder', 'cat', 'Ginger and White'), 'Orange & White');
    assert.equal(colourAt('petfinder', 'cat', 'Tortie'), 'Tortoiseshell');
    assert.equal(colourAt('petfinder', 'dog', 'Black and White'), 'Black');
    assert.equal(
      cellOf('petfinder', 'secondaryColor', { species: 'dog', colours: ['Black and White'] }),
      'White / Cream',
    );
    assert.equal(colourAt('adoptapet', 'dog', 'Black', 'Tan'), 'Black - with Tan, Yellow or Fawn');
    assert.equal(colourAt('adoptapet', 'dog', 'Liver and White'), 'Brown/Chocolate - with White');
    assert.equal(colourAt('adoptapet', 'cat', 'Tabby'), 'Brown Tabby');
    assert.equal(colourAt('rescuegroups', 'dog', 'Grey'), 'Gray, Blue or Silver');
  });
});
