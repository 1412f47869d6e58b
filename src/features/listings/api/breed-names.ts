/* The breeds that sites know, for the page of a site, which loads them when they are needed. */

export { sharedBreedNames } from '../../../domain/pets/breed-names.ts';
