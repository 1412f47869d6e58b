import type { ListingPet } from '../domain/listing-pet.ts';
import type { Organisation as DomainOrganisation } from '../../../domain/organisation/organisation.ts';
import { PET_STATUSES, type PetStatus } from '../../../domain/pets/pet.ts';
import { exactly, int32, int64, time, timeText } from '../../../api/records/fields.ts';
import { Contact, Location } from '../../../api/records/organisation/organisation.ts';
import { Profile } from '../../../api/records/profile.ts';
import { jsonText } from '../../../api/records/record-text.ts';
import * as Type from '../../../api/records/type.ts';

/* The open listing feed: the pets that look for a home, in JSON with this schema. */

/** Readers must accept fields that they do not know. Another meaning of a field needs another number. */
const FEED_VERSION = 1;

const ListedPhoto = Type.Object(
  {
    url: Type.String({ description: 'Another photo has another URL.' }),
    width: Type.Optional(int32('In pixels. Absent for a photo of another website.')),
    height: Type.Optional(int32('In pixels.')),
  },
  exactly('ListedPhoto'),
);

const ListedPet = Type.Object(
  {
    id: int64('Never assigned to another pet.'),
    url: Type.String({ description: 'The URL of the page of the pet.' }),
    name: Type.String(),
    status: Type.Unsafe<PetStatus>({
      type: 'string',
      enum: PET_STATUSES.filter((status) => status !== 'sold'),
      description: '`pending`: reserved.',
    }),
    changedAt: time('The time of the last change.'),
    category: Type.Optional(Type.String()),
    tags: Type.Array(Type.String()),
    photos: Type.Array(ListedPhoto),
    profile: Profile,
    descriptionText: Type.Optional(Type.String({ description: '`description` without Markdown.' })),
  },
  exactly('ListedPet'),
);

const ListingOrganisation = Type.Object(
  {
    name: Type.Optional(Type.String()),
    contact: Type.Optional(Contact),
    locations: Type.Optional(Type.Array(Location)),
  },
  exactly('ListingOrganisation'),
);

export const ListingFeed = Type.Object(
  {
    formatVersion: int32('The version of this format.'),
    organisation: ListingOrganisation,
    pets: Type.Array(ListedPet, { description: 'By ascending ID. A pet that is missing is not listed any more.' }),
  },
  exactly('ListingFeed'),
);
export type ListingFeed = Type.Static<typeof ListingFeed>;

/** The text before the pets, which are separated by commas. */
export function feedBegin({ name, contact, locations }: DomainOrganisation): string {
  return `{"formatVersion":${FEED_VERSION},"organisation":${jsonText({ name, contact, locations })},"pets":[`;
}

export const FEED_END = ']}\n';

export function listedPetText(pet: ListingPet): string {
  const { id, url, name, status, changedAtMs, category, tags, photos, profile, story } = pet;
  return jsonText({
    id,
    url,
    name,
    status,
    changedAt: timeText(changedAtMs),
    category,
    tags,
    photos: photos.map((photo) => ({ url: photo.url, ...photo.pixels })),
    profile,
    ...(story !== '' && { descriptionText: story }),
  });
}
