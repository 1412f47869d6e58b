import { SPECIES, type Species } from './profile.ts';
import { wordKey } from '../word-key.ts';

/*
 * The names of breeds that American listing sites share. Each site's file has the names that it writes differently. A
 * list does not have to be complete: staff see which breeds a site does not know.
 */

const NAMES: Readonly<Record<Species, string>> = {
  dog: `Affenpinscher, Afghan Hound, Airedale Terrier, Akbash, Akita, Alaskan Malamute, American Bulldog,
    American Bully, American Eskimo Dog, American Foxhound, American Hairless Terrier, American Pit Bull Terrier,
    American Staffordshire Terrier, American Water Spaniel, Anatolian Shepherd, Appenzell Mountain Dog, Aussiedoodle,
    Australian Cattle Dog, Australian Kelpie, Australian Shepherd, Australian Terrier, Basenji, Basset Hound, Beagle,
    Bearded Collie, Beauceron, Bedlington Terrier, Belgian Laekenois, Belgian Malinois, Belgian Sheepdog,
    Belgian Tervuren, Bernedoodle, Bernese Mountain Dog, Bichon Frise, Black and Tan Coonhound,
    Black Labrador Retriever, Black Mouth Cur, Black Russian Terrier, Bloodhound, Blue Lacy, Bluetick Coonhound,
    Boerboel, Bolognese, Border Collie, Border Terrier, Borzoi, Boston Terrier, Bouvier des Flandres, Boxer,
    Boykin Spaniel, Briard, Brittany, Brussels Griffon, Bull Terrier, Bullmastiff, Cairn Terrier, Canaan Dog,
    Cane Corso, Cardigan Welsh Corgi, Carolina Dog, Catahoula Leopard Dog, Cattle Dog, Caucasian Sheepdog, Cavachon,
    Cavalier King Charles Spaniel, Cavapoo, Chesapeake Bay Retriever, Chihuahua, Chinese Crested, Chinese Foo Dog,
    Chinook, Chiweenie, Chocolate Labrador Retriever, Chow Chow, Cirneco dell'Etna, Clumber Spaniel, Cockapoo,
    Cocker Spaniel, Collie, Coonhound, Corgi, Coton de Tulear, Curly-Coated Retriever, Dachshund, Dalmatian,
    Dandie Dinmont Terrier, Doberman Pinscher, Dogo Argentino, Dogue de Bordeaux, Dutch Shepherd, English Bulldog,
    English Cocker Spaniel, English Coonhound, English Foxhound, English Pointer, English Setter, English Shepherd,
    English Springer Spaniel, English Toy Spaniel, Entlebucher, Eskimo Dog, Eurasier, Feist, Field Spaniel,
    Fila Brasileiro, Finnish Lapphund, Finnish Spitz, Flat-Coated Retriever, Fox Terrier, Foxhound, French Bulldog,
    Galgo Spanish Greyhound, German Pinscher, German Shepherd Dog, German Shorthaired Pointer, German Spitz,
    German Wirehaired Pointer, Giant Schnauzer, Glen of Imaal Terrier, Golden Retriever, Goldendoodle, Gordon Setter,
    Great Dane, Great Pyrenees, Greater Swiss Mountain Dog, Greyhound, Hamiltonstovare, Harrier, Havanese, Hound,
    Hovawart, Husky, Ibizan Hound, Icelandic Sheepdog, Illyrian Sheepdog, Irish Setter, Irish Terrier,
    Irish Water Spaniel, Irish Wolfhound, Italian Greyhound, Jack Russell Terrier, Japanese Chin, Jindo, Kai Dog,
    Karelian Bear Dog, Keeshond, Kerry Blue Terrier, Kishu, Klee Kai, Komondor, Kuvasz, Kyi Leo, Labradoodle,
    Labrador Retriever, Lakeland Terrier, Lancashire Heeler, Leonberger, Lhasa Apso, Lowchen, Lurcher, Maltese,
    Maltipoo, Manchester Terrier, Maremma Sheepdog, Mastiff, McNab, Miniature Bull Terrier, Miniature Dachshund,
    Miniature Pinscher, Miniature Poodle, Miniature Schnauzer, Mixed Breed, Morkie, Mountain Cur, Mountain Dog,
    Munsterlander, Neapolitan Mastiff, New Guinea Singing Dog, Newfoundland, Norfolk Terrier, Norwegian Buhund,
    Norwegian Elkhound, Norwegian Lundehund, Norwich Terrier, Nova Scotia Duck Tolling Retriever,
    Old English Sheepdog, Otterhound, Papillon, Parson Russell Terrier, Patterdale Terrier, Pekingese,
    Pembroke Welsh Corgi, Peruvian Inca Orchid, Petit Basset Griffon Vendeen, Pharaoh Hound, Pit Bull Terrier,
    Plott Hound, Pointer, Polish Lowland Sheepdog, Pomeranian, Pomsky, Poodle, Portuguese Podengo,
    Portuguese Water Dog, Presa Canario, Pug, Puggle, Puli, Pumi, Pyrenean Shepherd, Rat Terrier, Redbone Coonhound,
    Retriever, Rhodesian Ridgeback, Rottweiler, Rough Collie, Saint Bernard, Saluki, Samoyed, Sarplaninac, Schipperke,
    Schnauzer, Schnoodle, Scottish Deerhound, Scottish Terrier, Sealyham Terrier, Setter, Shar-Pei, Sheep Dog,
    Sheepadoodle, Shepherd, Shetland Sheepdog, Shiba Inu, Shih Poo, Shih Tzu, Shollie, Siberian Husky, Silky Terrier,
    Skye Terrier, Sloughi, Smooth Collie, Smooth Fox Terrier, South Russian Ovtcharka, Spaniel, Spanish Water Dog,
    Spinone Italiano, Spitz, Staffordshire Bull Terrier, Standard Poodle, Standard Schnauzer, Sussex Spaniel,
    Swedish Vallhund, Tennessee Treeing Brindle, Terrier, Thai Ridgeback, Tibetan Mastiff, Tibetan Spaniel,
    Tibetan Terrier, Tosa Inu, Toy Fox Terrier, Toy Manchester Terrier, Treeing Walker Coonhound, Vizsla, Weimaraner,
    Welsh Springer Spaniel, Welsh Terrier, West Highland White Terrier, Wheaten Terrier, Whippet,
    White German Shepherd, Wire Fox Terrier, Wirehaired Dachshund, Wirehaired Pointing Griffon, Wirehaired Terrier,
    Xoloitzcuintli, Yellow Labrador Retriever, Yorkshire Terrier`,
  cat: `Abyssinian, American Bobtail, American Curl, American Shorthair, American Wirehair, Applehead Siamese,
    Balinese, Bengal, Birman, Bombay, British Shorthair, Burmese, Burmilla, Calico, Canadian Hairless, Chartreux,
    Chausie, Chinchilla, Cornish Rex, Cymric, Devon Rex, Dilute Calico, Dilute Tortoiseshell, Domestic Longhair,
    Domestic Mediumhair, Domestic Shorthair, Egyptian Mau, Exotic Shorthair, Havana, Himalayan, Japanese Bobtail,
    Javanese, Korat, LaPerm, Maine Coon, Manx, Munchkin, Nebelung, Norwegian Forest Cat, Ocicat, Oriental Longhair,
    Oriental Shorthair, Oriental Tabby, Persian, Pixiebob, Polydactyl, Ragamuffin, Ragdoll, Russian Blue,
    Scottish Fold, Selkirk Rex, Siamese, Siberian, Silver, Singapura, Snowshoe, Somali, Sphynx, Tabby, Tiger,
    Tonkinese, Torbie, Tortoiseshell, Toyger, Turkish Angora, Turkish Van, Tuxedo, York Chocolate`,
  rabbit: `American, American Fuzzy Lop, American Sable, Angora Rabbit, Belgian Hare, Beveren, Britannia Petite,
    Bunny Rabbit, Californian, Champagne D'Argent, Checkered Giant, Chinchilla, Cinnamon, Creme D'Argent, Dutch,
    Dwarf, Dwarf Eared, English Lop, English Spot, Flemish Giant, Florida White, French Lop, Harlequin, Havana,
    Himalayan, Holland Lop, Hotot, Jersey Wooly, Lilac, Lionhead, Lop Eared, Mini Lop, Mini Rex, Netherland Dwarf,
    New Zealand, Palomino, Polish, Rex, Rhinelander, Satin, Silver, Silver Fox, Silver Marten, Tan`,
  'small-furry': `Abyssinian, Chinchilla, Degu, Dwarf Hamster, Ferret, Gerbil, Guinea Pig, Hamster, Hedgehog, Mouse,
    Peruvian, Prairie Dog, Rat, Rex, Short-Haired, Silkie, Skunk, Sugar Glider, Teddy`,
  horse: `Appaloosa, Arabian, Belgian, Clydesdale, Connemara, Curly Horse, Donkey, Donkey / Mule, Draft, Friesian,
    Gaited, Grade, Haflinger, Icelandic Horse, Lipizzan, Miniature Horse, Missouri Foxtrotter, Morgan, Mule, Mustang,
    Paint, Paint / Pinto, Palomino, Paso Fino, Percheron, Peruvian Paso, Pinto, Pony, Pony of the Americas,
    Quarterhorse, Rocky Mountain Horse, Saddlebred, Shetland Pony, Standardbred, Tennessee Walking Horse,
    Thoroughbred, Warmblood`,
  bird: `African Grey, Amazon, Brotogeris, Budgie, Button-Quail, Caique, Canary, Chicken, Cockatiel, Cockatoo, Conure,
    Dove, Duck, Eclectus, Emu, Finch, Goose, Guinea Fowl, Kakariki, Lory, Lovebird, Macaw, Mynah, Ostrich, Parakeet,
    Parrot, Parrotlet, Peacock, Pheasant, Pigeon, Pionus, Poicephalus, Quail, Quaker Parakeet, Rhea, Ringneck,
    Rosella, Senegal, Softbill, Swan, Toucan, Turkey`,
  'reptile-other': `Asian Box, Ball Python, Bearded Dragon, Boa, Boa Constrictor, Box, Bull Frog, Burmese Python,
    Chameleon, Corn / Rat, Corn Snake, Eastern Box, Fire Salamander, Fire-Bellied, Fire-Bellied Newt, Fish,
    Florida Box, Freshwater Fish, Frog, Garter / Ribbon, Gecko, Goldfish, Hermit Crab, Horned Frog, Iguana,
    King / Milk, King Snake, Leopard Frog, Leopard Gecko, Lizard, Monitor, Oregon Newt, Ornamental Box,
    Paddle Tailed Newt, Python, Red Eared Slider, Red Foot, Russian Tortoise, Saltwater Fish, Snake, Sulcata,
    Tarantula, Three Toed Box, Tiger Salamander, Toad, Tortoise, Tree Frog, Turtle, Uromastyx, Water Dragon,
    Yellow-Bellied Slider`,
  barnyard: `Alpaca, Alpine, Angora, Angus, Barbados, Boer, Cow, Duroc, Goat, Hampshire, Holstein, Jersey, LaMancha,
    Landrace, Llama, Merino, Mouflon, Myotonic, Nigerian Dwarf, Nubian, Oberhasli, Pig, Pot Bellied, Pygmy, Saanen,
    Sheep, Shetland, Toggenburg, Vietnamese Pot Bellied, Yorkshire`,
};

/** The names that the form suggests, and other common ones, as these sites call them. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'American Cocker Spaniel': 'Cocker Spaniel',
  'Australian Silky Terrier': 'Silky Terrier',
  'Beauce Sheepdog': 'Beauceron',
  'Belgian Shepherd Dog': 'Belgian Sheepdog',
  'Blue Heeler': 'Australian Cattle Dog',
  'Borzoi - Russian Hunting Sighthound': 'Borzoi',
  'Brittany Spaniel': 'Brittany',
  Bulldog: 'English Bulldog',
  'Chinese Crested Dog': 'Chinese Crested',
  'Collie Rough': 'Collie',
  'Collie Smooth': 'Smooth Collie',
  Deerhound: 'Scottish Deerhound',
  Dobermann: 'Doberman Pinscher',
  'Dutch Shepherd Dog': 'Dutch Shepherd',
  'Entlebuch Cattle Dog': 'Entlebucher',
  Eurasian: 'Eurasier',
  'Fox Terrier (Smooth)': 'Smooth Fox Terrier',
  'Fox Terrier (Wire)': 'Wire Fox Terrier',
  'German Shepherd': 'German Shepherd Dog',
  'German Short-Haired Pointing Dog': 'German Shorthaired Pointer',
  'German Wire-Haired Pointing Dog': 'German Wirehaired Pointer',
  'Great Swiss Mountain Dog': 'Greater Swiss Mountain Dog',
  'Griffon Bruxellois': 'Brussels Griffon',
  'Hungarian Short-Haired Pointer (Vizsla)': 'Vizsla',
  'Ibizan Podenco': 'Ibizan Hound',
  'Irish Glen of Imaal Terrier': 'Glen of Imaal Terrier',
  'Irish Red Setter': 'Irish Setter',
  'Irish Soft Coated Wheaten Terrier': 'Wheaten Terrier',
  'Italian Cane Corso': 'Cane Corso',
  'Italian Sighthound': 'Italian Greyhound',
  'Italian Spinone': 'Spinone Italiano',
  'Kangal Shepherd Dog': 'Anatolian Shepherd',
  'King Charles Spaniel': 'English Toy Spaniel',
  'Korea Jindo Dog': 'Jindo',
  'Continental Toy Spaniel': 'Papillon',
  'Maremma and the Abruzzes Sheepdog': 'Maremma Sheepdog',
  'Pyrenean Mountain Dog': 'Great Pyrenees',
  'Russian Black Terrier': 'Black Russian Terrier',
  Shiba: 'Shiba Inu',
  'Soft Coated Wheaten Terrier': 'Wheaten Terrier',
  'St. Bernard': 'Saint Bernard',
  'Thai Ridgeback Dog': 'Thai Ridgeback',
  Tosa: 'Tosa Inu',
  'Welsh Corgi (Cardigan)': 'Cardigan Welsh Corgi',
  'Welsh Corgi (Pembroke)': 'Pembroke Welsh Corgi',
  'White Swiss Shepherd Dog': 'White German Shepherd',
  'Wire-Haired Pointing Griffon Korthals': 'Wirehaired Pointing Griffon',
  Xoloitzcuintle: 'Xoloitzcuintli',
  Mischling: 'Mixed Breed',
  Mix: 'Mixed Breed',
  'Belgian Shepherd': 'Belgian Sheepdog',
  'Belgian Shepherd Laekenois': 'Belgian Laekenois',
  'Belgian Shepherd Malinois': 'Belgian Malinois',
  'Belgian Shepherd Sheepdog': 'Belgian Sheepdog',
  'Belgian Shepherd Dog Sheepdog': 'Belgian Sheepdog',
  'Belgian Shepherd Tervuren': 'Belgian Tervuren',
  'Bouvier des Flanders': 'Bouvier des Flandres',
  'Cane Corso Mastiff': 'Cane Corso',
  'Caucasian Ovtcharka': 'Caucasian Sheepdog',
  'Dandi Dinmont Terrier': 'Dandie Dinmont Terrier',
  'English Redtick Coonhound': 'English Coonhound',
  'Fell Terrier': 'Patterdale Terrier',
  'Mexican Hairless': 'Xoloitzcuintli',
  'Newfoundland Dog': 'Newfoundland',
  'Podengo Portugueso': 'Portuguese Podengo',
  'Saint Bernard St. Bernard': 'Saint Bernard',
  Scottie: 'Scottish Terrier',
  'Scottish Terrier Scottie': 'Scottish Terrier',
  Sheltie: 'Shetland Sheepdog',
  'Shetland Sheepdog Sheltie': 'Shetland Sheepdog',
  'South Russian Ovcharka': 'South Russian Ovtcharka',
  'Texas Lacy': 'Blue Lacy',
  'Welsh Corgi': 'Corgi',
  'West Highland White Terrier Westie': 'West Highland White Terrier',
  Westie: 'West Highland White Terrier',
  'Wirehaired Fox Terrier': 'Wire Fox Terrier',
  Yorkie: 'Yorkshire Terrier',
  'Yorkshire Terrier Yorkie': 'Yorkshire Terrier',
  Exotic: 'Exotic Shorthair',
  'Havana Brown': 'Havana',
  'European Shorthair': 'Domestic Shorthair',
  'Oriental Bicolour': 'Oriental Shorthair',
  'American Siamese': 'Siamese',
  Bobtail: 'American Bobtail',
  'Extra-Toes Cat': 'Polydactyl',
  'Hairless Cat': 'Sphynx',
  'Hemingway Polydactyl': 'Polydactyl',
  Oriental: 'Oriental Shorthair',
  Angora: 'Angora Rabbit',
  'Other/Unknown': 'Bunny Rabbit',
  'Blanc de Hotot': 'Hotot',
  'Syrian Hamster': 'Hamster',
  'Abyssinian Guinea Pig': 'Abyssinian',
  'Peruvian Guinea Pig': 'Peruvian',
  'Teddy Guinea Pig': 'Teddy',
  'American Quarter Horse': 'Quarterhorse',
  'Paint Horse': 'Paint',
  'Donkey/Mule/Burro/Hinny': 'Donkey / Mule',
  'Tennessee Walker': 'Tennessee Walking Horse',
  Lipizzaner: 'Lipizzan',
  'African Grey Parrot': 'African Grey',
  'Amazon Parrot': 'Amazon',
  Budgerigar: 'Budgie',
  'Eclectus Parrot': 'Eclectus',
  'Monk Parakeet': 'Quaker Parakeet',
  Lorikeet: 'Lory',
  Peafowl: 'Peacock',
  'Pionus Parrot': 'Pionus',
  'Poicephalus / Senegal': 'Poicephalus',
  Psittacula: 'Ringneck',
  'Ring-Necked Parakeet': 'Ringneck',
  'Senegal Parrot': 'Senegal',
  Russian: 'Russian Tortoise',
  'Cow or Bull': 'Cow',
  Fainting: 'Myotonic',
  'Potbellied Pig': 'Pot Bellied',
};

/** Words that sites add to a breed that they do not know exactly: `Parakeet - Other`. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(['', 'other', 'unknown', 'type']);

/** Equal for the same words in another order: `Poodle (Standard)`, `Lop, French`. */
function orderlessKey(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).map(wordKey);
  return words
    .filter((word) => !EMPTY_WORDS.has(word))
    .toSorted()
    .join(' ');
}

function entriesOf(spelling: string, name: string): readonly (readonly [key: string, name: string])[] {
  return [
    [orderlessKey(spelling), name],
    [wordKey(spelling), name],
  ];
}

/** The shared names of the breeds of a species. */
export function sharedBreedNames(species: Species): readonly string[] {
  return NAMES[species].split(',').map((name) => name.trim().replaceAll(/\s+/g, ' '));
}

const BY_KEY: ReadonlyMap<Species, Names> = new Map(
  SPECIES.map((species) => {
    const names = sharedBreedNames(species);
    const others = Object.entries(OTHER_NAMES).filter(([, name]) => names.includes(name));
    const all = [...others, ...names.map((name) => [name, name] as const)];
    return [species, new Map(all.flatMap(([spelling, name]) => entriesOf(spelling, name)))];
  }),
);

const MIX = /[\s,/(-]{1,4}(?:mix|mixed|mixed breed|cross|crossbreed|x|mischling)\)?$/i;

/** `Labrador Retriever Mix` is a `Labrador Retriever`. A text that says only that it is a mix stays. */
export function withoutMix(breed: string): string {
  const pure = breed.replace(MIX, '').trim();
  return pure === '' ? breed : pure;
}

type Names = ReadonlyMap<string, string>;

function lookUp(names: Names, spelling: string): string | undefined {
  return names.get(wordKey(spelling)) ?? names.get(orderlessKey(spelling));
}

/** The shared name of a breed, however sites and other programs spell it; undefined for one that is in no list. */
export function sharedBreedName(species: Species, breed: string): string | undefined {
  const names = BY_KEY.get(species) ?? new Map();
  const pure = withoutMix(breed);
  const whole = lookUp(names, breed) ?? lookUp(names, pure) ?? lookUp(names, pure.replaceAll(/\([^()]*\)/g, ' '));
  if (whole !== undefined) return whole;
  // `Shetland Sheepdog / Sheltie` is one breed, and `Poodle / Boxer` are two.
  const [only, other] = new Set(pure.split(/[/,()]/).flatMap((part) => lookUp(names, part) ?? []));
  return other === undefined ? only : undefined;
}

/** The shared name of a breed of any species that a site writes with a slash; undefined for two breeds. */
export function nameWithSlash(text: string): string | undefined {
  for (const names of BY_KEY.values()) {
    const [first, ...others] = text.split('/').map((part) => lookUp(names, part));
    const found = lookUp(names, text) ?? (others.every((other) => other === first) ? first : undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}
