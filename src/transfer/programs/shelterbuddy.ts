import type { Program } from './program.ts';

export const SHELTERBUDDY: Program = {
  name: 'ShelterBuddy',
  signature: ['Status (Current)', 'Source (Current)', 'General Notes from animal details screen'],
  columns: {
    'Animal ID': 'externalId',
    Name: 'name',
    Type: 'species',
    Breed: 'breedPrimary',
    'Secondary Breed': 'breedSecondary',
    Gender: 'sex',
    DOB: 'birthDate',
    Color: 'colours',
    'Second Color': 'colours',
    'Spay/Neutered': 'isAltered',
    Microchip: 'microchip',
    'Incoming Date': 'intakeDate',
    'Status (Current)': 'status',
  },
  others:
    'Spay/Neutered Date|Source (Current)|Surrender Reason|Distinguishing Features|Euthanasia Reason|General Notes from animal details screen|Person ID|Person First Name|Person Last Name|Mailing Address|Mailing Suburb|Mailing Post Code'.split(
      '|',
    ),
};
