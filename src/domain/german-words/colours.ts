/**
 * German words of colours, by those of the form of a pet and other common ones in English. Those that are the same are
 * here for what has two colours.
 */
export const COLOURS = `
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

/** The same of patterns of coats. */
export const PATTERNS = `
  Bicolor=zweifarbig; Bicolour=zweifarbig; Brindle=gestromt; Calico=dreifarbig; Checkered=gescheckt;
  Colorpoint=Colourpoint; Dapple=getigert; Dappled=getigert; Dilute calico=dreifarbig, verdünnt;
  Dilute tortoiseshell=Schildpatt, verdünnt; Dotted=getupft; Harlequin=Harlekin; Mackerel tabby=getigert;
  Classic tabby=gestromt; Mottled=gefleckt; Piebald=gescheckt; Pinto=gescheckt; Pointed=Colourpoint;
  Point=Colourpoint; Roan=Schimmel; Saddle=Sattel; Solid=einfarbig; Speckled=gesprenkelt; Spotted=gefleckt;
  Striped=gestreift; Tabby=getigert; Ticked=getickt; Tortie=Schildpatt; Tortoiseshell=Schildpatt;
  Tricolor=dreifarbig; Tricolour=dreifarbig; Tuxedo=schwarz-weiß`;
