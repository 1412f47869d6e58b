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

export function isProfileColumn(column: string): boolean {
  return ownKeyOf(column) !== undefined || isPlainField(column);
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

export function cellTypeOf(column: string): CellType {
  return isPlainField(column) ? CELL_TYPES[PROFILE_DEFINITIONS[column].type] : 'text';
}

/** Other names of columns, in English and German: words without spaces and accents, in lower case. */
const NAMES: Readonly<Record<PlainField, string>> = {
  species: 'spezies',
  breedPrimary: 'breed firstbreed hauptrasse mainbreed primarybreed rasse',
  breedSecondary: 'secondarybreed secondbreed zweiterasse zweitrasse',
  breedIsMixed: 'crossbreed mischling mischrasse mix mixed mixedbreed',
  sex: 'gender geschlecht',
  birthDate: 'birthday born datebirth dob geboren geborenam geburtsdatum geburtstag',
  birthDateIsEstimated: 'birthdateestimated datebirthisestimated estimatedbirthdate geburtsdatumistgeschatzt',
  size: 'grosse grosseausgewachsen sizewhengrown',
  weightKg: 'gewicht gewichtinkg gewichtkg weight weightinkg',
  colours: 'color colors colour farbe farben fellfarbe fellfarben',
  pattern: 'coatpattern fellmuster fellzeichnung muster zeichnung',
  coat: 'coatlength fell felllange fur furlength',
  isAltered: 'altered castrated kastriert neutered spayed spayedneutered spayedorneutered sterilisiert',
  vaccinationsAreCurrent: 'geimpft impfungen impfungenaktuell vaccinated vaccinations vaccinationsuptodate',
  isDeclawed: 'declawed krallenentfernt',
  hasSpecialNeeds: 'besonderebedurfnisse handicap specialneeds',
  specialNeedsNote: 'aboutspecialneeds specialneedsnotes zubesonderenbedurfnissen',
  microchip:
    'chip chipnr chipnumber chipnummer microchipnumber mikrochip mikrochipnummer transponder transpondernummer',
  medicalNote: 'medicalnotes medizinischenotizen',
  goodWithChildren: 'children goodwithkids kids kinder kinderfreundlich vertraglichmitkindern',
  goodWithDogs: 'dogs hunde vertraglichmithunden',
  goodWithCats: 'cats katzen vertraglichmitkatzen',
  goodWithOthers: 'andere goodwithother other',
  isHouseTrained: 'housebroken housetrained stubenrein',
  isCrateTrained: 'boxgewohnt cratetrained eineboxgewohnt usedtocrate',
  isLeashTrained: 'gehtleine leashtrained leinenfuhrig walksonleash',
  energy: 'aktivitat energie energielevel energylevel',
  intakeDate: 'arrivaldate aufgenommenam aufnahmedatum dateintake eingangsdatum intake',
  location: 'ort standort',
  isFostered: 'fostered fosterhome ineinerpflegestelle infosterhome inpflegestelle pflegestelle',
  bondedWith: 'bleibtzusammenmit bonded muststaywith',
  holdUntil: 'helduntil onholduntil reserviertbis',
  unit: 'box cage gehege kafig kennel kennelcageorroom zwinger zwingerkafigoderraum',
  summary: 'kurzbeschreibung shortdescription zusammenfassung',
  description: 'beschreibung bio geschichte story',
  feeAmount: 'adoptionfee fee gebuhr price preis schutzgebuhr',
  feeCurrency: 'currency currencyfee wahrung wahrunggebuhr',
  feeIsWaived: 'feewaived gebuhrentfallt',
  videoUrls: 'video videos videourl',
  externalId:
    'code externeid fremdid id identifier idinanothersystem idinanderemsystem idineinemanderensystem idnumber sheltercode',
  isPublished: 'published sichtbarkeit veroffentlicht visibility',
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
