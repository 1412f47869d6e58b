import type { Program } from './program.ts';

export const PETPOINT: Program = {
  name: 'PetPoint',
  signature: ['Animal #', 'ARN'],
  columns: {
    'Animal #': 'externalId',
    'Animal Name': 'name',
    Species: 'species',
    Gender: 'sex',
    'Primary Breed': 'breedPrimary',
    'Secondary Breed': 'breedSecondary',
    'Date Of Birth': 'birthDate',
    'Age Group': 'estimatedAge',
    Altered: 'isAltered',
    'Microchip Number': 'microchip',
    'Intake Date': 'intakeDate',
    'Primary Color': 'colours',
    'Secondary Color': 'colours',
    'Animal Weight': 'weightKg',
    Size: 'size',
    Declawed: 'isDeclawed',
    Stage: 'status',
    'Outcome Type': 'status',
    'Adoption Price': 'feeAmount',
    Location: 'location',
  },
  others:
    "ARN|Admitter|Agency Address|Agency Name|Animal Description|Distinguishing Markings|Intake Condition|Intake Subtype|Intake Type|Jurisdiction|Microchip Issue Date|Reason|Street Address|City|Province|Postal Code|Admitter's Email|Admitter's Home Phone|Admitter's Cell Phone|Outcome Date|Outcome Subtype|Outcome Person Name|Outcome Agency Name".split(
      '|',
    ),
};
