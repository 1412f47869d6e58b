import type { SentBulkEntry } from '../api/records/bulk.ts';
import type { SentPet } from '../api/records/sent-pet.ts';
import { newProfileOf } from './profile-cells.ts';
import type { SourceRow } from './source-row.ts';

/* The rows of pets as entries of a bulk request. */

/** The pet without the fields of the profile. */
function petOf(value: SourceRow['value']): SentPet {
  const names = ['id', 'category', 'name', 'photoUrls', 'tags', 'status'];
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name))) as unknown as SentPet;
}

interface NewPet {
  /** Whether the row has the ID of the pet. */
  hasId: boolean;
  /** The entries of `photoUrls` that are uploaded. */
  photos: readonly string[];
  profile: SourceRow['value'] | undefined;
}

export function creation(value: SourceRow['value'], { hasId, photos, profile }: NewPet): SentBulkEntry {
  const ofProfile = profile && newProfileOf(profile);
  const { id, ...pet } = petOf(value);
  const photoUrls = pet.photoUrls?.filter((entry) => !photos.includes(entry));
  return {
    op: 'create',
    pet: { ...pet, ...(hasId && { id }), ...(photoUrls && { photoUrls }) },
    ...(ofProfile && { profile: ofProfile }),
  };
}

/** Sets the fields of the file, and no others. Uploaded photos are added to those of the pet. */
export function patch(
  id: bigint,
  fields: ReadonlySet<string>,
  value: SourceRow['value'],
  { photos, profile }: { photos: readonly string[]; profile: SourceRow['value'] | undefined },
): SentBulkEntry {
  const { name, category, tags, status, photoUrls } = value as SentPet;
  const sent = {
    name,
    // A merge patch would keep a field of the category that is absent.
    category: category ? { id: category.id ?? null, name: category.name ?? null } : null,
    tags: tags ?? [],
    status: status ?? null,
    photoUrls: photoUrls ?? [],
  };
  const set = Object.entries(sent).filter(
    ([field]) => fields.has(field) && !(field === 'photoUrls' && photos.length > 0),
  );
  return { op: 'patch', id: id as never, patch: Object.fromEntries(set), ...(profile && { profile }) };
}
