import type { Program } from './program.ts';

export const PETSTABLISHED: Program = {
  name: 'Petstablished',
  signature: ['Petstablished ID'],
  columns: {
    'Petstablished ID': 'externalId',
    'Pet Name': 'name',
    'Pet Type': 'species',
    'Pet Primary Breed': 'breedPrimary',
    'Pet Breed': 'breedPrimary',
    'Pet Secondary Breed': 'breedSecondary',
    Gender: 'sex',
    'Date of Birth': 'birthDate',
    'Age in Years': 'estimatedAge',
    Size: 'size',
    Weight: 'weightKg',
    Color: 'colours',
    'Coat Length': 'coat',
    'Coat Pattern': 'pattern',
    'Spayed/Neutered?': 'isAltered',
    'Special Need?': 'hasSpecialNeeds',
    'Gets along with Dogs?': 'goodWithDogs',
    'Gets along with Cats?': 'goodWithCats',
    'Gets along with Kids?': 'goodWithChildren',
    'Microchip ID': 'microchip',
    'Date Pet Entered Your Care': 'intakeDate',
    'Current Status': 'status',
    Description: 'description',
    'Current Location': 'location',
  },
  others:
    "Additional Comments|Internal Notes|Adoption/Foster Date|Current Foster/Adopter|Current Foster/Adopter Email|Previous Owner Information|Type of Intake|Where was pet originally found|Pet Owner's Home Number|Pet Owner's Cell Number|Pet Owner's Work Phone".split(
      '|',
    ),
};
