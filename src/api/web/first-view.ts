import type { AccessMode } from '../../domain/access.ts';
import type { Location } from '../../domain/organisation/organisation.ts';
import type { OwnField } from '../../domain/organisation/own-field.ts';
import type { Pet } from '../../domain/pets/pet.ts';
import type { Organisation } from '../records/organisation/organisation.ts';
import type { OwnPhoto, PetCover } from '../records/photo.ts';
import type { Profile } from '../records/profile.ts';
import type { ProfileOfPet } from '../records/search.ts';
import type { CatalogueSearch } from './catalogue-search.ts';
import type { Site } from './site.ts';
import type { Language } from './languages.ts';

/*
 * The first view: the part of a page that a reader sees before the application has started. The build of the
 * application contains its renderer, a module that the service imports.
 */

/** The module, in the folder of the build. Files of folders that start with a dot are not served. */
export const FIRST_VIEW_FILE = '.vite/first-view.mjs';

/** The first page of the search results. */
export interface FoundPets {
  search: CatalogueSearch;
  /** Whether the user may change pets: for links to other searches. */
  managesPets: boolean;
  pets: readonly Pet[];
  covers: readonly PetCover[];
  profiles: readonly ProfileOfPet[];
  /** The values of filters that pets have, the most used first. */
  known: Readonly<Record<'species' | 'category' | 'goodWith', readonly string[]>>;
  /** For visitors, if it says something about itself. */
  organisation?: OrganisationView | undefined;
}

export interface PetWithPhotos {
  pet: Pet;
  photos: readonly OwnPhoto[];
  /** The URLs of photos on other hosts, which are links. */
  elsewhere: readonly string[];
  /** Undefined if it could not be read. */
  about?: AboutPet | undefined;
  /** Whether the user may change pets: the page reserves the space of further controls. */
  managesPets: boolean;
}

export interface AboutPet {
  profile: Profile;
  /** The pets with which it must stay together, without those that the user may not see. */
  bonded: readonly Pick<Pet, 'id' | 'name'>[];
  location: Pick<Location, 'name' | 'place'> | undefined;
  /** Undefined if it could not be read, or says nothing about itself. */
  organisation: OrganisationView | undefined;
  /** The definitions of own fields that the user sees. Empty if the profile has no such values. */
  ownFields: readonly OwnField[];
}

export type OrganisationView = Organisation;

export interface AboutOrganisation {
  organisation: OrganisationView;
}

export type { Pet };

export interface FirstView {
  language: Language;
  /** For numbers and dates. */
  locale: string;
  access: AccessMode;
  /** The base path of the bootstrap data, for links. */
  basePath: string;
  site: Site;
  content: FoundPets | PetWithPhotos | AboutOrganisation;
}

export interface FirstViewModule {
  /** @returns HTML without inline styles, which the policy of the pages forbids */
  renderFirstView: (view: FirstView) => string;
}
