import type { Program } from './program.ts';

export const SHELTERLUV: Program = {
  name: 'Shelterluv',
  signature: ['Age (Y/M/D)', 'Kennel Card / Web Site Memo', 'Altered in Care', 'Altered before Arrival'],
  columns: {
    'Animal ID': 'externalId',
    Name: 'name',
    Species: 'species',
    Sex: 'sex',
    'Primary Breed': 'breedPrimary',
    'Secondary Breed': 'breedSecondary',
    'Age (Y/M/D)': 'estimatedAge',
    'Date of Birth': 'birthDate',
    'Primary Color': 'colours',
    'Secondary Color': 'colours',
    Pattern: 'pattern',
    'Current Weight': 'weightKg',
    Size: 'size',
    Altered: 'isAltered',
    'Microchip Number': 'microchip',
    'Kennel Card / Web Site Memo': 'description',
    Medical: 'medicalNote',
    'Intake Date': 'intakeDate',
    Status: 'status',
    Photo: 'photoUrls',
    'Adoption Fee': 'feeAmount',
    Location: 'location',
  },
  // The last of several is the one where the animal is.
  readings: { Location: (cell) => cell.split(',').at(-1)?.trim() ?? '' },
  others:
    'Altered in Care|Altered before Arrival|Age (Months)|Attributes|Behavioral|Comments|Comments1|Comments2|Comments3|History|Private|Private**|In Custody|Created Date|Intake Type|Intake Subtype|Intake Memo|Intake From Name|Outcome By|Outcome To Person Name'.split(
      '|',
    ),
};
