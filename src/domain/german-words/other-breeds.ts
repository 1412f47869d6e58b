import type { Species } from '../pets/profile.ts';

/** German names of the breeds and kinds of other species, by their English ones, as for dogs. */
export const OTHER_BREEDS: Readonly<Record<Exclude<Species, 'dog'>, string>> = {
  cat: `
    Abyssinian=Abessinier; Aegean=Ägäische Katze; Birman=Heilige Birma; British Longhair=Britisch Langhaar;
    British Shorthair=Britisch Kurzhaar; Burmese=Burma; Calico=Glückskatze; Chartreux=Kartäuser;
    Domestic Longhair=Hauskatze, langhaarig; Domestic Long Hair=Hauskatze, langhaarig;
    Domestic Medium Hair=Hauskatze, halblanghaarig; Domestic Mediumhair=Hauskatze, halblanghaarig;
    Domestic Shorthair=Hauskatze, kurzhaarig; Domestic Short Hair=Hauskatze, kurzhaarig; Egyptian Mau=Ägyptische Mau;
    European Burmese=Europäische Burma; European Shorthair=Europäisch Kurzhaar; Exotic=Exotische Kurzhaarkatze;
    Exotic Shorthair=Exotische Kurzhaarkatze; German Longhair=Deutsch Langhaar; Havana=Havana Brown;
    Himalayan=Colourpoint; Kurilian Bobtail=Kurilen-Bobtail; Mixed Breed=Mischling;
    Norwegian Forest Cat=Norwegische Waldkatze; Oriental Longhair=Orientalisch Langhaar;
    Oriental Shorthair=Orientalisch Kurzhaar; Persian=Perser; Russian Blue=Russisch Blau; Siamese=Siam;
    Siberian=Sibirische Katze; Tabby=Tigerkatze; Tiger=Tigerkatze; Tonkinese=Tonkanese; Tortoiseshell=Schildpattkatze;
    Turkish Angora=Türkisch Angora; Turkish Van=Türkisch Van`,
  rabbit: `
    American Fuzzy Lop=Amerikanischer Teddywidder; Angora Rabbit=Angora; Belgian Hare=Hasenkaninchen;
    Blanc de Hotot=Weiße Hotot; Hotot=Weiße Hotot; Californian=Kalifornier; Champagne d'Argent=Champagne-Silber;
    Checkered Giant=Deutscher Riesenschecke; Dutch=Holländer; Dwarf=Zwergkaninchen; Dwarf Hotot=Zwerghotot;
    Dwarf Lop=Zwergwidder; English Lop=Englischer Widder; English Spot=Englische Schecke; Fauve de Bourgogne=Burgunder;
    Flemish Giant=Deutscher Riese; French Lop=Deutscher Widder; Giant Papillon=Riesenschecke; Harlequin=Japaner;
    Havana=Havanna; Himalayan=Russe; Lilac=Marburger Feh; Lionhead=Löwenkopfkaninchen; Lop=Widder; Lop Eared=Widder;
    Mini Lop=Kleinwidder; Mini Rex=Zwerg-Rex; Mini Satin=Zwerg-Satin; Mixed Breed=Mischling;
    Netherland Dwarf=Farbenzwerg; New Zealand=Neuseeländer; Polish=Hermelin; Rhinelander=Rheinische Schecke;
    Silver=Silber; Silver Fox=Silberfuchs; Silver Marten=Weißgranne; Tan=Loh; Thrianta=Sachsengold;
    Thuringian=Thüringer; Vienna=Wiener`,
  horse: `
    American Quarter Horse=Quarter Horse; Quarterhorse=Quarter Horse; Andalusian=Pura Raza Española;
    Anglo-Arabian=Anglo-Araber; Arabian=Vollblutaraber; Ardennes=Ardenner; Belgian=Belgisches Kaltblut;
    Belgian Draught=Belgisches Kaltblut; Black Forest Horse=Schwarzwälder Kaltblut; Connemara=Connemara-Pony;
    Connemara Pony=Connemara-Pony; Dartmoor Pony=Dartmoor-Pony; Donkey=Esel; Draft=Kaltblut;
    Draft Mix=Kaltblutmischling; Dutch Warmblood=Niederländisches Warmblut; Exmoor Pony=Exmoor-Pony;
    Fell Pony=Fell-Pony; Fjord Horse=Fjordpferd; Friesian=Friese; Gaited=Gangpferd;
    German Riding Pony=Deutsches Reitpony; Gypsy Cob=Tinker; Hanoverian=Hannoveraner; Highland Pony=Highland-Pony;
    Icelandic Horse=Islandpferd; Lipizzan=Lipizzaner; Miniature Horse=Minipferd; Mixed Breed=Mischling; Mule=Maultier;
    New Forest Pony=New-Forest-Pony; Oldenburg=Oldenburger; Paint=Paint Horse;
    Rhenish-German Coldblood=Rheinisch-Deutsches Kaltblut; Saddlebred=American Saddlebred; Shetland Pony=Shetland-Pony;
    Standardbred=Traber; Thoroughbred=Englisches Vollblut; Warmblood=Warmblut; Welsh Pony=Welsh-Pony;
    Westphalian=Westfale`,
  bird: `
    African Grey=Graupapagei; African Grey Parrot=Graupapagei; Alexandrine Parakeet=Großer Alexandersittich;
    Amazon=Amazone; Amazon Parrot=Amazone; Bengalese Finch=Japanisches Mövchen; Bourke's Parrot=Bourkesittich;
    Budgerigar=Wellensittich; Budgie=Wellensittich; Caique=Weißbauchpapagei; Canary=Kanarienvogel; Chicken=Huhn;
    Cockatiel=Nymphensittich; Cockatoo=Kakadu; Conure=Rotschwanzsittich; Diamond Dove=Diamanttäubchen; Dove=Taube;
    Duck=Ente; Eclectus=Edelpapagei; Eclectus Parrot=Edelpapagei; Finch=Fink; Goldfinch=Stieglitz; Goose=Gans;
    Gouldian Finch=Gouldamadine; Green-Cheeked Conure=Grünwangen-Rotschwanzsittich; Greenfinch=Grünfink;
    Guinea Fowl=Perlhuhn; Hill Myna=Beo; Java Sparrow=Reisfink; Kakariki=Ziegensittich;
    Lineolated Parakeet=Katharinasittich; Lorikeet=Lori; Lory=Lori; Lovebird=Unzertrennliche; Macaw=Ara;
    Meyer's Parrot=Goldbugpapagei; Monk Parakeet=Mönchssittich; Quaker Parakeet=Mönchssittich; Ostrich=Strauß;
    Parakeet=Sittich; Parrot=Papagei; Parrotlet=Sperlingspapagei; Peacock=Pfau; Peafowl=Pfau; Pheasant=Fasan;
    Pigeon=Taube; Pionus=Rotsteißpapagei; Pionus Parrot=Rotsteißpapagei; Quail=Wachtel;
    Ring-Necked Parakeet=Halsbandsittich; Ringneck=Halsbandsittich; Senegal=Mohrenkopfpapagei;
    Senegal Parrot=Mohrenkopfpapagei; Sun Conure=Sonnensittich; Swan=Schwan; Toucan=Tukan; Turkey=Truthahn;
    Zebra Finch=Zebrafink`,
  'small-furry': `
    Abyssinian=Rosettenmeerschweinchen; Abyssinian Guinea Pig=Rosettenmeerschweinchen;
    American Guinea Pig=Glatthaarmeerschweinchen; Campbell's Dwarf Hamster=Campbell-Zwerghamster;
    Chinese Hamster=Chinesischer Streifenhamster; Dwarf Hamster=Zwerghamster; Ferret=Frettchen; Gerbil=Rennmaus;
    Guinea Pig=Meerschweinchen; Hedgehog=Igel; Mixed Breed=Mischling; Mouse=Farbmaus;
    Peruvian=Peruaner-Meerschweinchen; Peruvian Guinea Pig=Peruaner-Meerschweinchen; Prairie Dog=Präriehund;
    Rat=Farbratte; Roborovski Dwarf Hamster=Roborowski-Zwerghamster; Sheltie Guinea Pig=Sheltie-Meerschweinchen;
    Skinny Pig=Skinny-Meerschweinchen; Skunk=Stinktier; Spiny Mouse=Stachelmaus; Sugar Glider=Kurzkopfgleitbeutler;
    Syrian Hamster=Goldhamster; Teddy=Teddy-Meerschweinchen; Teddy Guinea Pig=Teddy-Meerschweinchen;
    Texel Guinea Pig=Texel-Meerschweinchen; Winter White Dwarf Hamster=Dsungarischer Zwerghamster`,
  'reptile-other': `
    Asian Box=Asiatische Scharnierschildkröte; Ball Python=Königspython; Bearded Dragon=Bartagame; Chameleon=Chamäleon;
    Corn Snake=Kornnatter; Eastern Box=Carolina-Dosenschildkröte; Fish=Fisch; Frog=Frosch; Goldfish=Goldfisch;
    Hermit Crab=Einsiedlerkrebs; Iguana=Leguan; King Snake=Königsnatter; Leopard Gecko=Leopardgecko; Lizard=Echse;
    Red Eared Slider=Rotwangen-Schmuckschildkröte; Russian Tortoise=Steppenschildkröte; Snake=Schlange; Toad=Kröte;
    Tortoise=Landschildkröte; Turtle=Schildkröte; Uromastyx=Dornschwanzagame; Water Dragon=Wasseragame`,
  barnyard: `
    Alpaca=Alpaka; Cow=Kuh; Goat=Ziege; Llama=Lama; Pig=Schwein; Pot Bellied=Hängebauchschwein; Sheep=Schaf`,
};
