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

/** German words for categories and tags, by common English ones. */
const LABELS = `
  Dog=Hund; Dogs=Hunde; Puppy=Welpe; Puppies=Welpen; Cat=Katze; Cats=Katzen; Kitten=Kätzchen; Kittens=Kätzchen;
  Rabbit=Kaninchen; Rabbits=Kaninchen; Guinea pig=Meerschweinchen; Guinea pigs=Meerschweinchen; Hamsters=Hamster;
  Mouse=Maus; Mice=Mäuse; Rat=Ratte; Rats=Ratten; Bird=Vogel; Birds=Vögel; Fishes=Fische; Horse=Pferd; Horses=Pferde;
  Ponies=Ponys; Small pets=Kleintiere; Small animals=Kleintiere; Small furry=Kleintiere; Rodents=Nagetiere;
  Reptile=Reptil; Reptiles=Reptilien; Tortoise=Schildkröte; Tortoises=Schildkröten; Turtle=Schildkröte;
  Turtles=Schildkröten; Snake=Schlange; Snakes=Schlangen; Farm animals=Hoftiere; Barnyard=Hoftiere; Goat=Ziege;
  Goats=Ziegen; Sheep=Schafe; Chickens=Hühner; Lions=Löwen; Others=Andere; Other=Andere;
  active=aktiv; adventurous=abenteuerlustig; affectionate=anhänglich; alert=aufmerksam; beginner=für Anfänger;
  big=groß; bold=mutig; bonded=unzertrennlich; bonded pair=unzertrennliches Paar; brave=mutig; calm=ruhig;
  cheerful=fröhlich; chatty=gesprächig; clever=klug; cuddly=verschmust; curious=neugierig; deaf=taub; blind=blind;
  elderly=betagt; energetic=lebhaft; experienced=für Erfahrene; fast=schnell; fluffy=flauschig; friendly=freundlich;
  gentle=sanft; good with cats=mag Katzen; good with children=mag Kinder; good with kids=mag Kinder;
  good with dogs=mag Hunde; greedy=verfressen; house trained=stubenrein; hypoallergenic=hypoallergen;
  independent=selbstständig; indoor=Wohnung; indoor only=nur Wohnung; outdoor=Freigang; kind=lieb; large=groß;
  lazy=gemütlich; lap cat=Schoßkatze; leash trained=leinenführig; lively=lebhaft; long haired=langhaarig; loyal=treu;
  medium=mittelgroß; noisy=laut; obedient=gehorsam; old=alt; playful=verspielt; quiet=ruhig; relaxed=entspannt;
  scruffy=struppig; senior=Senior; short haired=kurzhaarig; shy=scheu; sleepy=verschlafen; small=klein; smart=klug;
  sociable=gesellig; soft=weich; special needs=Handicap; sporty=sportlich; stubborn=eigensinnig; sweet=lieb;
  talkative=gesprächig; tame=zahm; timid=schüchtern; trained=erzogen; urgent=dringend; vocal=gesprächig; young=jung`;

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
    labels: tableOf(LABELS),
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

/** The names of breeds, categories and tags in both languages that differ. */
export function namesInBoth(): readonly (readonly [english: string, german: string])[] {
  return [DOG_BREEDS, ...Object.values(OTHER_BREEDS), LABELS].flatMap(pairsIn);
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

/** A category or a tag, with a capital if it had one. */
export function germanLabel(name: string): string {
  const german = tables().labels.get(wordKey(name));
  if (german === undefined) return name;
  return /^\p{Lu}/u.test(name) ? german.charAt(0).toUpperCase() + german.slice(1) : german;
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
