import type { OwnField } from '../../domain/organisation/own-field.ts';
import {
  isPlainField,
  isPrivate,
  PLAIN_FIELDS,
  PROFILE_DEFINITIONS,
  type FieldType,
  type PlainField,
} from '../../domain/pets/profile.ts';

/* The columns of profiles: one for each field, with its name, and one for each field that the organisation defines. */

const OWN = 'own.';

export function ownColumn({ key }: Pick<OwnField, 'key'>): string {
  return OWN + key;
}

/** The key of the own field that a column has; undefined for another column. */
export function ownKeyOf(column: string): string | undefined {
  return column.startsWith(OWN) ? column.slice(OWN.length) : undefined;
}

/** Columns that an export does not have: each is another way to write a field. */
const OTHER_WAYS = {
  estimatedAge: 'birthDate',
  noChildren: 'goodWithChildren',
  noDogs: 'goodWithDogs',
  noCats: 'goodWithCats',
} as const satisfies Readonly<Record<string, PlainField>>;

export type OtherWay = keyof typeof OTHER_WAYS;

export const OTHER_COLUMNS = Object.keys(OTHER_WAYS) as readonly OtherWay[];

export function isOtherWay(column: string): column is OtherWay {
  return Object.hasOwn(OTHER_WAYS, column);
}

/** The field of the profile that a column sets. */
export function profileFieldOf(column: string): string {
  return isOtherWay(column) ? OTHER_WAYS[column] : column;
}

/** Whether several columns of a file may have entries of this one. */
export function isListColumn(column: string): boolean {
  return ['list', 'pets'].includes(cellTypeOf(column));
}

export function isProfileColumn(column: string): boolean {
  return ownKeyOf(column) !== undefined || isPlainField(profileFieldOf(column));
}

/** The columns of an export. @param isStaff whether it has private fields */
export function exportedColumns(ownFields: readonly OwnField[], isStaff: boolean): readonly string[] {
  const exported = PLAIN_FIELDS.filter((name) => isStaff || !isPrivate(name));
  return [...exported, ...ownFields.map(ownColumn)];
}

/** How the cells of a column are written. */
export type CellType = 'yes-no' | 'number' | 'date' | 'list' | 'pets' | 'word' | 'location' | 'text';

const CELL_TYPES: Readonly<Record<FieldType, CellType>> = {
  'yes-no': 'yes-no',
  number: 'number',
  date: 'date',
  list: 'list',
  urls: 'list',
  pets: 'pets',
  word: 'word',
  location: 'location',
  line: 'text',
  text: 'text',
  breed: 'text',
  currency: 'text',
};

const OWN_TYPES: Readonly<Record<OwnField['type'], CellType>> = {
  text: 'text',
  number: 'number',
  date: 'date',
  'yes-no-unknown': 'yes-no',
  choice: 'word',
};

export function columnTypeOf(column: string, ownFields: readonly OwnField[]): CellType {
  const own = ownFields.find(({ key }) => key === ownKeyOf(column));
  return own === undefined ? cellTypeOf(profileFieldOf(column)) : OWN_TYPES[own.type];
}

export function cellTypeOf(column: string): CellType {
  return isPlainField(column) ? CELL_TYPES[PROFILE_DEFINITIONS[column].type] : 'text';
}

/** Other names of columns, in English and German: words without spaces and accents, in lower case. */
const NAMES: Readonly<Record<PlainField | OtherWay, string>> = {
  estimatedAge: 'age ageinyears ageyears ageymd alter alterinjahren currentage generalage agegroup',
  noChildren: 'nochildren nokids keinekinder',
  noDogs: 'nodogs keinehunde',
  noCats: 'nocats keinekatzen',
  species: 'spezies tierart animaltype pettype art gattung',
  breedPrimary: 'breed firstbreed hauptrasse mainbreed primarybreed rasse breed1 breeds',
  breedSecondary: 'secondarybreed secondbreed zweiterasse zweitrasse breed2',
  breedIsMixed: 'crossbreed mischling mischrasse mix mixed mixedbreed',
  sex: 'gender geschlecht',
  birthDate: 'birthday born datebirth dob geboren geborenam geburtsdatum geburtstag birth dateofbirth',
  birthDateIsEstimated: 'birthdateestimated datebirthisestimated estimatedbirthdate geburtsdatumistgeschatzt',
  size: 'grosse grosseausgewachsen sizewhengrown currentsize sizecurrent sizepotential generalsizepotential potentialsize',
  weightKg: 'gewicht gewichtinkg gewichtkg weight weightinkg currentweight weightlb weightlbs weightkgs weightoz',
  colours:
    'color colors colour farbe farben fellfarbe fellfarben basecolor colorgeneral color1 color2 colour1 colour2 fellfarbe hauptfarbe maincolor primarycolor primarycolour secondarycolor secondarycolour zweitfarbe',
  pattern: 'coatpattern fellmuster fellzeichnung muster zeichnung',
  coat: 'coatlength fell felllange fur furlength',
  isAltered:
    'altered castrated kastriert neutered spayed spayedneutered spayedorneutered sterilisiert spayedneuteredstatus alteredstatus fixed',
  vaccinationsAreCurrent: 'geimpft impfungen impfungenaktuell vaccinated vaccinations vaccinationsuptodate',
  isDeclawed: 'declawed krallenentfernt',
  hasSpecialNeeds: 'besonderebedurfnisse handicap specialneeds specialneed hasspecialneeds',
  specialNeedsNote: 'aboutspecialneeds specialneedsnotes zubesonderenbedurfnissen',
  hasSpecialDiet: 'specialdiet specialdietaryneeds besonderesfutter spezialfutter',
  isFivPositive: 'fivpositive fivpositiv',
  isHeartwormPositive: 'heartwormpositive herzwurmpositiv',
  microchip:
    'chip chipnr chipnumber chipnummer microchipnumber mikrochip mikrochipnummer transponder transpondernummer chipid microchipid microchipnr',
  medicalNote: 'medicalnotes medizinischenotizen healthproblems',
  goodWithChildren:
    'children goodwithkids kids kinder kinderfreundlich vertraglichmitkindern getsalongwithkids getsalongwithchildren okwithchildren okwithkids kidsok childrenok',
  goodWithDogs: 'dogs hunde vertraglichmithunden dogsok getsalongwithdogs goodwithotherdogs okwithdogs',
  goodWithCats: 'cats katzen vertraglichmitkatzen catsok getsalongwithcats okwithcats',
  goodWithOthers: 'andere goodwithother other',
  isHouseTrained: 'housebroken housetrained stubenrein housebroken',
  isCrateTrained: 'boxgewohnt cratetrained eineboxgewohnt usedtocrate',
  isLeashTrained: 'gehtleine leashtrained leinenfuhrig walksonleash',
  isIndoorOnly: 'indooronly nurwohnungshaltung wohnungskatze',
  energy: 'aktivitat energie energielevel energylevel',
  intakeDate:
    'arrivaldate aufgenommenam aufnahmedatum dateintake eingangsdatum intake dateenteredyourcare datein datereceived entrydate entereddate receiveddate datebroughtin',
  location: 'currentlocation ort shelterlocation standort',
  isFostered: 'fostered fosterhome ineinerpflegestelle infosterhome inpflegestelle pflegestelle',
  bondedWith: 'bleibtzusammenmit bonded muststaywith',
  holdUntil: 'helduntil onholduntil reserviertbis',
  unit: 'box cage gehege kafig kennel kennelcageorroom zwinger zwingerkafigoderraum',
  summary: 'kurzbeschreibung shortdescription zusammenfassung',
  description:
    'beschreibung bio geschichte story webdescription websitememo kennelcardwebsitememo kennelcardmemo websitedescription',
  summaryEn: 'kurzbeschreibungaufenglisch summaryinenglish',
  descriptionEn: 'geschichteaufenglisch storyinenglish beschreibungaufenglisch descriptioninenglish',
  summaryDe: 'kurzbeschreibungaufdeutsch summaryingerman',
  descriptionDe: 'geschichteaufdeutsch storyingerman beschreibungaufdeutsch descriptioningerman',
  feeAmount: 'adoptionfee fee gebuhr price preis schutzgebuhr adoptionprice fees',
  feeCurrency: 'currency currencyfee wahrung wahrunggebuhr',
  feeIsWaived: 'feewaived gebuhrentfallt',
  videoUrls: 'video videos videourl',
  externalId:
    'code externeid fremdid tiernummer tiernr aktennummer animalnumber id identifier idinanothersystem idinanderemsystem idineinemanderensystem idnumber sheltercode',
  isPublished:
    'published publish listed online visible visibility onwebsite showonwebsite weblisting sichtbar sichtbarkeit veroffentlicht ' +
    'veroffentlichen aufwebsite aufderwebsite',
};

/** The names of the columns of own fields are their labels. @param keyOf the form of the names above */
export function profileAliases(
  ownFields: readonly OwnField[],
  keyOf: (label: string) => string,
): Readonly<Record<string, readonly string[]>> {
  return {
    ...Object.fromEntries(Object.entries(NAMES).map(([column, names]) => [column, names.split(' ')])),
    ...Object.fromEntries(ownFields.map((field) => [ownColumn(field), Object.values(field.label).map(keyOf)])),
  };
}
