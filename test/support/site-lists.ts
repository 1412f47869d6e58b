import type { Species } from '../../src/domain/pets/profile.ts';

/* Breeds and colours of listing sites, as published programs list them. Names are separated by semicolons. */

type SiteLists = Partial<Readonly<Record<Species, string>>>;

/** Breeds of Petfinder. */
export const PETFINDER_BREEDS: SiteLists = {
  dog: `
    Affenpinscher; Afghan Hound; Airedale Terrier; Akbash; Akita; Alaskan Malamute; American Bulldog; American Bully;
    American Eskimo Dog; American Foxhound; American Hairless Terrier; American Staffordshire Terrier;
    American Water Spaniel; Anatolian Shepherd; Appenzell Mountain Dog; Aussiedoodle;
    Australian Cattle Dog / Blue Heeler; Australian Kelpie; Australian Shepherd; Australian Terrier; Basenji;
    Basset Hound; Beagle; Bearded Collie; Beauceron; Bedlington Terrier; Belgian Shepherd / Laekenois;
    Belgian Shepherd / Malinois; Belgian Shepherd / Sheepdog; Belgian Shepherd / Tervuren; Bernedoodle;
    Bernese Mountain Dog; Bichon Frise; Black and Tan Coonhound; Black Labrador Retriever; Black Mouth Cur;
    Black Russian Terrier; Bloodhound; Blue Lacy; Bluetick Coonhound; Boerboel; Bolognese; Border Collie;
    Border Terrier; Borzoi; Boston Terrier; Bouvier des Flandres; Boxer; Boykin Spaniel; Briard; Brittany Spaniel;
    Brussels Griffon; Bull Terrier; Bullmastiff; Cairn Terrier; Canaan Dog; Cane Corso; Cardigan Welsh Corgi;
    Carolina Dog; Catahoula Leopard Dog; Cattle Dog; Caucasian Sheepdog / Caucasian Ovtcharka; Cavachon;
    Cavalier King Charles Spaniel; Cavapoo; Chesapeake Bay Retriever; Chihuahua; Chinese Crested Dog; Chinese Foo Dog;
    Chinook; Chiweenie; Chocolate Labrador Retriever; Chow Chow; Cirneco dell'Etna; Clumber Spaniel; Cockapoo;
    Cocker Spaniel; Collie; Coonhound; Corgi; Coton de Tulear; Curly-Coated Retriever; Dachshund; Dalmatian;
    Dandie Dinmont Terrier; Doberman Pinscher; Dogo Argentino; Dogue de Bordeaux; Dutch Shepherd; English Bulldog;
    English Cocker Spaniel; English Coonhound; English Foxhound; English Pointer; English Setter; English Shepherd;
    English Springer Spaniel; English Toy Spaniel; Entlebucher; Eskimo Dog; Feist; Field Spaniel; Fila Brasileiro;
    Finnish Lapphund; Finnish Spitz; Flat-Coated Retriever; Fox Terrier; Foxhound; French Bulldog;
    Galgo Spanish Greyhound; German Pinscher; German Shepherd Dog; German Shorthaired Pointer; German Spitz;
    German Wirehaired Pointer; Giant Schnauzer; Glen of Imaal Terrier; Golden Retriever; Goldendoodle; Gordon Setter;
    Great Dane; Great Pyrenees; Greater Swiss Mountain Dog; Greyhound; Hamiltonstovare; Harrier; Havanese; Hound;
    Hovawart; Husky; Ibizan Hound; Icelandic Sheepdog; Illyrian Sheepdog; Irish Setter; Irish Terrier;
    Irish Water Spaniel; Irish Wolfhound; Italian Greyhound; Jack Russell Terrier; Japanese Chin; Jindo; Kai Dog;
    Karelian Bear Dog; Keeshond; Kerry Blue Terrier; Kishu; Klee Kai; Komondor; Kuvasz; Kyi Leo; Labradoodle;
    Labrador Retriever; Lakeland Terrier; Lancashire Heeler; Leonberger; Lhasa Apso; Lowchen; Lurcher; Maltese;
    Maltipoo; Manchester Terrier; Maremma Sheepdog; Mastiff; McNab; Miniature Bull Terrier; Miniature Dachshund;
    Miniature Pinscher; Miniature Poodle; Miniature Schnauzer; Mixed Breed; Morkie; Mountain Cur; Mountain Dog;
    Munsterlander; Neapolitan Mastiff; New Guinea Singing Dog; Newfoundland Dog; Norfolk Terrier; Norwegian Buhund;
    Norwegian Elkhound; Norwegian Lundehund; Norwich Terrier; Nova Scotia Duck Tolling Retriever;
    Old English Sheepdog; Otterhound; Papillon; Parson Russell Terrier; Patterdale Terrier / Fell Terrier; Pekingese;
    Pembroke Welsh Corgi; Peruvian Inca Orchid; Petit Basset Griffon Vendeen; Pharaoh Hound; Pit Bull Terrier;
    Plott Hound; Pointer; Polish Lowland Sheepdog; Pomeranian; Pomsky; Poodle; Portuguese Podengo;
    Portuguese Water Dog; Presa Canario; Pug; Puggle; Puli; Pumi; Pyrenean Shepherd; Rat Terrier; Redbone Coonhound;
    Retriever; Rhodesian Ridgeback; Rottweiler; Rough Collie; Saint Bernard; Saluki; Samoyed; Sarplaninac; Schipperke;
    Schnauzer; Schnoodle; Scottish Deerhound; Scottish Terrier; Sealyham Terrier; Setter; Shar-Pei; Sheep Dog;
    Sheepadoodle; Shepherd; Shetland Sheepdog / Sheltie; Shiba Inu; Shih poo; Shih Tzu; Shollie; Siberian Husky;
    Silky Terrier; Skye Terrier; Sloughi; Smooth Collie; Smooth Fox Terrier; South Russian Ovtcharka; Spaniel;
    Spanish Water Dog; Spinone Italiano; Spitz; Staffordshire Bull Terrier; Standard Poodle; Standard Schnauzer;
    Sussex Spaniel; Swedish Vallhund; Tennessee Treeing Brindle; Terrier; Thai Ridgeback; Tibetan Mastiff;
    Tibetan Spaniel; Tibetan Terrier; Tosa Inu; Toy Fox Terrier; Toy Manchester Terrier; Treeing Walker Coonhound;
    Vizsla; Weimaraner; Welsh Springer Spaniel; Welsh Terrier; West Highland White Terrier / Westie; Wheaten Terrier;
    Whippet; White German Shepherd; Wire Fox Terrier; Wirehaired Dachshund; Wirehaired Pointing Griffon;
    Wirehaired Terrier; Xoloitzcuintli / Mexican Hairless; Yellow Labrador Retriever; Yorkshire Terrier`,
  cat: `
    Abyssinian; American Bobtail; American Curl; American Shorthair; American Wirehair; Applehead Siamese; Balinese;
    Bengal; Birman; Bombay; British Shorthair; Burmese; Burmilla; Calico; Canadian Hairless; Chartreux; Chausie;
    Chinchilla; Cornish Rex; Cymric; Devon Rex; Dilute Calico; Dilute Tortoiseshell; Domestic Long Hair;
    Domestic Medium Hair; Domestic Short Hair; Egyptian Mau; Exotic Shorthair; Extra-Toes Cat / Hemingway Polydactyl;
    Havana; Himalayan; Japanese Bobtail; Javanese; Korat; LaPerm; Maine Coon; Manx; Munchkin; Nebelung;
    Norwegian Forest Cat; Ocicat; Oriental Long Hair; Oriental Short Hair; Oriental Tabby; Persian; Pixiebob;
    Ragamuffin; Ragdoll; Russian Blue; Scottish Fold; Selkirk Rex; Siamese; Siberian; Silver; Singapura; Snowshoe;
    Somali; Sphynx / Hairless Cat; Tabby; Tiger; Tonkinese; Torbie; Tortoiseshell; Toyger; Turkish Angora;
    Turkish Van; Tuxedo; York Chocolate`,
  rabbit: `
    American; American Fuzzy Lop; American Sable; Angora Rabbit; Belgian Hare; Beveren; Britannia Petite;
    Bunny Rabbit; Californian; Champagne D'Argent; Checkered Giant; Chinchilla; Cinnamon; Creme D'Argent; Dutch;
    Dwarf; Dwarf Eared; English Lop; English Spot; Flemish Giant; Florida White; French Lop; Harlequin; Havana;
    Himalayan; Holland Lop; Hotot; Jersey Wooly; Lilac; Lionhead; Lop Eared; Mini Lop; Mini Rex; Netherland Dwarf;
    New Zealand; Palomino; Polish; Rex; Rhinelander; Satin; Silver; Silver Fox; Silver Marten; Tan`,
  horse: `
    Appaloosa; Arabian; Belgian; Clydesdale; Connemara; Curly Horse; Donkey; Draft; Friesian; Gaited; Grade;
    Haflinger; Icelandic Horse; Lipizzan; Miniature Horse; Missouri Foxtrotter; Morgan; Mule; Mustang; Paint / Pinto;
    Palomino; Paso Fino; Percheron; Peruvian Paso; Pony; Pony of the Americas; Quarterhorse; Rocky Mountain Horse;
    Saddlebred; Shetland Pony; Standardbred; Tennessee Walker; Thoroughbred; Warmblood`,
  bird: `
    African Grey; Amazon; Brotogeris; Budgie / Budgerigar; Button-Quail; Caique; Canary; Chicken; Cockatiel; Cockatoo;
    Conure; Dove; Duck; Eclectus; Emu; Finch; Goose; Guinea Fowl; Kakariki; Lory / Lorikeet; Lovebird; Macaw; Ostrich;
    Parakeet (Other); Parrot (Other); Parrotlet; Peacock / Peafowl; Pheasant; Pigeon; Pionus; Poicephalus / Senegal;
    Quail; Quaker Parakeet; Rhea; Ringneck / Psittacula; Rosella; Swan; Toucan; Turkey`,
  barnyard: `
    Alpaca; Alpine; Angora; Angus; Barbados; Boer; Cow; Duroc; Goat; Hampshire; Holstein; Jersey; LaMancha; Landrace;
    Llama; Merino; Mouflon; Myotonic / Fainting; Nigerian Dwarf; Nubian; Oberhasli; Pig; Pot Bellied; Pygmy; Saanen;
    Sheep; Shetland; Toggenburg; Vietnamese Pot Bellied; Yorkshire`,
};

/** Breeds as Petfinder called them before, and as ASM3 still does. */
export const FORMER_PETFINDER_BREEDS: SiteLists = {
  dog: `
    Australian Cattle Dog/Blue Heeler; Belgian Shepherd Dog Sheepdog; Belgian Shepherd Laekenois;
    Belgian Shepherd Malinois; Belgian Shepherd Tervuren; Bouvier des Flanders; Cane Corso Mastiff;
    Flat-coated Retriever; Italian Spinone; Nova Scotia Duck-Tolling Retriever; Patterdale Terrier (Fell Terrier);
    Podengo Portugueso; Saint Bernard St. Bernard; Scottish Terrier Scottie; Shar Pei; Shetland Sheepdog Sheltie;
    South Russian Ovcharka; Welsh Corgi; West Highland White Terrier Westie; Wire-haired Pointing Griffon;
    Yorkshire Terrier Yorkie; Xoloitzcuintle/Mexican Hairless`,
  cat: `
    Pixie-Bob; Sphynx (hairless cat)`,
  rabbit: `
    French-Lop; Mini-Lop`,
  horse: `
    Donkey/Mule; Paint/Pinto`,
  'small-furry': `
    Chinchilla; Degu; Ferret; Gerbil; Guinea Pig; Hamster; Hedgehog; Mouse; Prairie Dog; Rat; Skunk; Sugar Glider`,
  'reptile-other': `
    Asian Box; Ball Python; Bearded Dragon; Boa; Boa Constrictor; Box; Bull Frog; Burmese Python; Chameleon;
    Corn Snake; Corn/Rat; Eastern Box; Fire-bellied; Fire-bellied Newt; Fire Salamander; Florida Box; Frog;
    Garter/Ribbon; Gecko; Goldfish; Hermit Crab; Horned Frog; Iguana; King/Milk; Leopard Frog; Lizard; Monitor;
    Oregon Newt; Ornamental Box; Paddle Tailed Newt; Python; Red-eared Slider; Red Foot; Russian; Snake; Sulcata;
    Tarantula; Three Toed Box; Tiger Salamander; Tortoise; Tree Frog; Toad; Turtle; Uromastyx; Yellow-Bellied Slider;
    Fish; Freshwater Fish; Saltwater Fish`,
  bird: `
    Budgie/Budgerigar; Guinea fowl; Lory/Lorikeet; Mynah; Peacock/Pea fowl; Poicephalus/Senegal; Ringneck/Psittacula;
    Softbill (Other)`,
  barnyard: `
    Pig (Farm)`,
};

/** Breeds of Petfinder that Adopt-a-Pet calls differently, or does not have: `Petfinder=Adopt-a-Pet`. */
export const ADOPTAPET_BREEDS = `
  Appenzell Mountain Dog=Shepherd (Unknown Type); American Bully=Bull Terrier;
  Australian Cattle Dog/Blue Heeler=Australian Cattle Dog; Belgian Shepherd Dog Sheepdog=Belgian Shepherd;
  Belgian Shepherd Tervuren=Belgian Tervuren; Belgian Shepherd Malinois=Belgian Malinois;
  Black Labrador Retriever=Labrador Retriever; Blue Lacy=Blue Lacy/Texas Lacy; Brittany Spaniel=Brittany;
  Cane Corso Mastiff=Cane Corso; Chinese Crested Dog=Chinese Crested; Chinese Foo Dog=Shepherd (Unknown Type);
  Chocolate Labrador Retriever=Labrador Retriever; Dandi Dinmont Terrier=Dandie Dinmont Terrier;
  English Cocker Spaniel=Cocker Spaniel; English Coonhound=English (Redtick) Coonhound;
  Flat-coated Retriever=Flat-Coated Retriever; Fox Terrier=Fox Terrier (Smooth); Hound=Hound (Unknown Type);
  Illyrian Sheepdog=Shepherd (Unknown Type); McNab=Shepherd (Unknown Type); Miniature Poodle=Poodle (Miniature);
  Mixed Breed=Mixed Breed (Medium); Mountain Dog=Bernese Mountain Dog; New Guinea Singing Dog=Shepherd (Unknown Type);
  Newfoundland Dog=Newfoundland; Norweigan Lundehund=Shepherd (Unknown Type);
  Peruvian Inca Orchid=Shepherd (Unknown Type); Pit Bull Terrier=American Pit Bull Terrier; Poodle=Poodle (Standard);
  Retriever=Retriever (Unknown Type); Saint Bernard St. Bernard=St. Bernard; Schipperkev=Schipperke;
  Schnauzer=Schnauzer (Standard); Scottish Terrier Scottie=Scottie, Scottish Terrier; Setter=Setter (Unknown Type);
  Sheep Dog=Old English Sheepdog; Shepherd=Shepherd (Unknown Type);
  Shetland Sheepdog Sheltie=Sheltie, Shetland Sheepdog; Spaniel=Spaniel (Unknown Type);
  Spitz=Spitz (Unknown Type, Medium); South Russian Ovcharka=Shepherd (Unknown Type);
  West Highland White Terrier Westie=Westie, West Highland White Terrier;
  White German Shepherd=German Shepherd Dog; Wire-haired Pointing Griffon=Wirehaired Pointing Griffon;
  Wirehaired Terrier=Terrier (Unknown Type, Medium); Yellow Labrador Retriever=Labrador Retriever;
  Yorkshire Terrier Yorkie=Yorkie, Yorkshire Terrier; American Siamese=Siamese; Burmilla=Burmese;
  Canadian Hairless=Sphynx; Dilute Calico=Calico; Dilute Tortoiseshell=Domestic Shorthair;
  Domestic Long Hair=Domestic Longhair; Domestic Medium Hair=Domestic Mediumhair;
  Domestic Short Hair=Domestic Shorthair; Exotic Shorthair=Exotic;
  Extra-Toes Cat / Hemingway Polydactyl=Hemingway/Polydactyl; Oriental Long Hair=Oriental;
  Oriental Short Hair=Oriental; Oriental Tabby=Oriental; Pixie-Bob=Domestic Shorthair; Sphynx (hairless cat)=Sphynx;
  Tabby=Domestic Shorthair; Tiger=Domestic Shorthair; Torbie=Domestic Shorthair; Tortoiseshell=Domestic Shorthair;
  Tuxedo=Domestic Shorthair; Angora Rabbit=Angora, English; English Lop=Lop, English; French-Lop=Lop, French;
  Hotot=Blanc de Hotot; Holland Lop=Lop, Holland; Lop Eared=Lop-Eared; Mini-Lop=Mini Lop; Bunny Rabbit=Other/Unknown;
  Bearded Dragon=Lizard; Budgie/Budgerigar=Budgie; Chinchilla=Chinchilla, Standard; Corn Snake=Snake; Cow=Cow or Bull;
  Donkey/Mule=Donkey/Mule/Burro/Hinny; Parakeet (Other)=Parakeet - Other; Pot Bellied=Pig (Potbellied);
  Quaker Parakeet=Parakeet - Quaker; Sulcata=Tortoise; Turtle=Turtle - Other`;

/** Colours of Adopt-a-Pet. */
export const ADOPTAPET_COLOURS: SiteLists = {
  dog: `
    Black; Black - with Tan, Yellow or Fawn; Black - with White; Brindle; Brindle - with White; Brown/Chocolate;
    Brown/Chocolate - with Black; Brown/Chocolate - with White; Red/Golden/Orange/Chestnut;
    Red/Golden/Orange/Chestnut - with Black; Red/Golden/Orange/Chestnut - with White; Silver & Tan (Yorkie colors);
    Tan/Yellow/Fawn; Tan/Yellow/Fawn - with White; Tricolor (Tan/Brown & Black & White); White; White - with Black;
    White - with Brown or Chocolate; Black - with Brown, Red, Golden, Orange or Chestnut; Black - with Gray or Silver;
    Brown/Chocolate - with Tan; Gray/Blue/Silver/Salt & Pepper; Gray/Silver/Salt & Pepper - with White;
    Gray/Silver/Salt & Pepper - with Black; Merle; Tan/Yellow/Fawn - with Black; White - with Tan, Yellow or Fawn;
    White - with Red, Golden, Orange or Chestnut; White - with Gray or Silver`,
  cat: `
    Black (All); Cream or Ivory; Cream or Ivory (Mostly); Spotted Tabby/Leopard Spotted; Black (Mostly);
    Black & White or Tuxedo; Brown or Chocolate; Brown or Chocolate (Mostly); Brown Tabby; Calico or Dilute Calico;
    Gray or Blue; Gray or Blue (Mostly); Gray, Blue or Silver Tabby; Orange or Red; Orange or Red (Mostly);
    Orange or Red Tabby; Tan or Fawn; Tan or Fawn (Mostly); Tan or Fawn Tabby; Tiger Striped; Tortoiseshell; White;
    White (Mostly)`,
  horse: `
    Palomino; Gray; Dun; Cremello; Chestnut/Sorrel; Champagne; Buckskin; Black; Bay; Appy; Grullo; White; Roan;
    Perlino; Paint`,
  bird: `
    Gray; Green; Olive; Orange; Pink; Purple/Violet; Red; Rust; Tan; Buff; Yellow; White; Black; Blue; Brown`,
  rabbit: `
    Sable; Albino or Red-Eyed White; Blue; Black; Blond/Golden; Chinchilla; Chocolate; Cinnamon; Copper; Cream; Dutch;
    Fawn; Grey/Silver; Harlequin; Lilac; Multi; Orange; Red; Agouti; Siamese; Tan; Tortoise; Tri-color; White`,
  'small-furry': `
    Yellow; White; Tortoiseshell; Tan or Beige; Silver or Gray; Sable; Red; Orange; Multi; Lilac; Golden; Cream;
    Calico; Buff; Brown or Chocolate; Blonde; Black; Albino or Red-Eyed White`,
};

export function namesIn(list: string): readonly string[] {
  return list.split(';').map((name) => name.trim().replaceAll(/\s+/g, ' '));
}
