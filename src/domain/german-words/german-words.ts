import type { Species } from '../pets/profile.ts';
import { wordKey } from '../word-key.ts';
import { DOG_BREEDS } from './dog-breeds.ts';
import { OTHER_BREEDS } from './other-breeds.ts';

/**
 * German words of colours, by those of the form of a pet and other common ones in English. Those that are the same are
 * here for what has two colours.
 */
const COLOURS = `
  Apricot=Apricot; Beige=Beige; Bronze=Bronze; Orange=Orange; Palomino=Palomino; Sand=Sand; Seal=Seal;
  Black=Schwarz; Black and tan=Schwarz-Loh; Black tricolor=Schwarz-Tricolor; Blonde=Blond; Blue=Blau;
  Blue merle=Blue Merle; Brindle=Gestromt; Brown=Braun; Buff=Sandfarben; Champagne=Champagner; Charcoal=Anthrazit;
  Chestnut=Fuchs; Chocolate=Schokolade; Cinnamon=Zimt; Copper=Kupfer; Cream=Creme; Dark blue=Dunkelblau;
  Dark brown=Dunkelbraun; Dark gray=Dunkelgrau; Dark grey=Dunkelgrau; Fawn=Falb; Golden=Gold; Gray=Grau; Green=Grün;
  Grey=Grau; Isabella=Isabell; Ivory=Elfenbein; Lavender=Lavendel; Light brown=Hellbraun; Light gray=Hellgrau;
  Light grey=Hellgrau; Lilac=Lila; Liver=Leberbraun; Mahogany=Mahagoni; Multicolor=Mehrfarbig;
  Multicolour=Mehrfarbig; Mixed=Mehrfarbig; Olive=Oliv; Peach=Pfirsich; Pink=Rosa; Purple=Violett; Red=Rot;
  Red-brown=Rotbraun; Rust=Rostrot; Sable=Zobel; Salt and pepper=Pfeffer-Salz; Silver=Silber; Smoke=Rauchgrau;
  Tan=Lohfarben; Tawny=Gelbbraun; Tricolor=Dreifarbig; Tricolour=Dreifarbig; Turquoise=Türkis; Violet=Violett;
  Wheaten=Weizenfarben; White=Weiß; Yellow=Gelb`;

/** The German words for patterns of coats, by the English ones. */
const PATTERNS = `
  Bicolor=zweifarbig; Bicolour=zweifarbig; Brindle=gestromt; Calico=dreifarbig; Checkered=gescheckt;
  Colorpoint=Colourpoint; Dapple=getigert; Dappled=getigert; Dilute calico=dreifarbig, verdünnt;
  Dilute tortoiseshell=Schildpatt, verdünnt; Dotted=getupft; Harlequin=Harlekin; Mackerel tabby=getigert;
  Classic tabby=gestromt; Mottled=gefleckt; Piebald=gescheckt; Pinto=gescheckt; Pointed=Colourpoint;
  Point=Colourpoint; Roan=Schimmel; Saddle=Sattel; Solid=einfarbig; Speckled=gesprenkelt; Spotted=gefleckt;
  Striped=gestreift; Tabby=getigert; Ticked=getickt; Tortie=Schildpatt; Tortoiseshell=Schildpatt;
  Tricolor=dreifarbig; Tricolour=dreifarbig; Tuxedo=schwarz-weiß`;

/*
 * German words for what shelters enter in English. They are only shown: what is stored stays as it is, and so does a
 * word that no list has.
 */

type Table = ReadonlyMap<string, string>;

let read: ReturnType<typeof readTables> | undefined;

/** They are read when the first word is needed, because that takes some milliseconds of the start. */
function tables() {
  return (read ??= readTables());
}

function readTables() {
  const breeds = mapTables({ dog: DOG_BREEDS, ...OTHER_BREEDS, other: 'African lion=Afrikanischer Löwe; Lion=Löwe' });
  return {
    breeds,
    /** The names that have one German name in all species. */
    unambiguous: unambiguousIn([...breeds.values()]),
    colours: tableOf(COLOURS),
    patterns: tableOf(PATTERNS),
  };
}

/** @param species undefined if it is unknown: a name of breeds of several species then stays as it is */
export function germanBreed(name: string, species: string | undefined): string {
  const { breeds, unambiguous } = tables();
  const find = (text: string) => {
    const key = wordKey(text);
    return species === undefined
      ? unambiguous.get(key)
      : (breeds.get(species)?.get(key) ?? breeds.get('other')?.get(key));
  };
  const base = / mix$/i.test(name) ? find(name.slice(0, -' mix'.length)) : undefined;
  return find(name) ?? (base === undefined ? name : germanMix(base));
}

/** The names of breeds in both languages that differ. */
export function breedsInBoth(): readonly (readonly [english: string, german: string])[] {
  return [DOG_BREEDS, ...Object.values(OTHER_BREEDS)].flatMap(pairsIn);
}

/**
 * A compound of several words has hyphens between all of them, as in `Golden-Retriever-Mischling`. A domestic cat is of
 * no breed.
 */
export function germanMix(breed: string): string {
  if (breed.startsWith('Hauskatze')) return breed;
  return /^[\p{L}\p{M}.'’ -]+$/u.test(breed) ? `${breed.replaceAll(' ', '-')}-Mischling` : `${breed}, Mischling`;
}

export function germanColour(name: string): string {
  return translated(name, tables().colours);
}

export function germanPattern(name: string): string {
  return translated(name, tables().patterns);
}

/** Also two words, such as `Black and white`, `Red/white` and `Sand and white`, if both are known. */
function translated(name: string, words: Table): string {
  const find = (part: string) => words.get(wordKey(part));
  const parts = name.split(/ and | & |\//).map(find);
  return find(name) ?? (parts.includes(undefined) ? name : parts.join(' und '));
}

function mapTables(lists: Readonly<Record<Species | 'other', string>>): ReadonlyMap<string, Table> {
  return new Map(Object.entries(lists).map(([species, list]) => [species, tableOf(list)]));
}

function tableOf(list: string): Table {
  return new Map(pairsIn(list).map(([english, german]) => [wordKey(english), german]));
}

function pairsIn(list: string): readonly (readonly [english: string, german: string])[] {
  return list.split(';').map((entry) => {
    const [english = '', german = ''] = entry.split('=');
    return [english.trim(), german.trim()];
  });
}

function unambiguousIn(all: readonly Table[]): Table {
  const entries = all.flatMap((table) => [...table]);
  const names = Map.groupBy(entries, ([key]) => key);
  return new Map(entries.filter(([key, german]) => names.get(key)?.every(([, other]) => other === german)));
}
