import { ENDPOINTS } from '../../src/api/endpoints.ts';
import type { PetAction } from '../../src/domain/pets/pet-change.ts';
import { currentOf, known, petText, profileText, type Current, type Version } from './records.ts';
import { digestAt } from './photos.ts';
import { DEFAULT_ID, ofPhoto, type Change, type Fields, type Profile, type SentChange } from './steps.ts';

/* The rules for changes of pets, as docs/rules.md has them. */

/** Of no pet. */
const NO_VERSION = 987_654_321n;

interface Catalogue {
  versionsOf(id: string): readonly Version[];
  visible(isStaff: boolean): readonly (Current & { id: string })[];
}

/** The status of a refusal, or what the change makes of the pet. */
export type Decision = number | Effect;

interface Effect {
  action: PetAction;
  fields: Fields | null;
  profile: Profile;
  /** Nothing changes, so there is no new version. */
  isSame: boolean;
  keepsProfile: boolean;
}

/** Decides a change of someone who may change pets. */
export function decide(call: SentChange, id: string | undefined, model: Catalogue): Decision {
  const current = currentOf(model.versionsOf(id ?? ''));
  const isPut = call.kind === 'addPet' || call.kind === 'updatePet';
  if (isPut && (call.fields.name === undefined || (call.kind === 'updatePet' && call.id === undefined))) return 400;
  if (call.kind === 'restorePet' || call.kind === 'restorePetVersion') return decideRestore(call, id, model);
  if (current === undefined && call.kind !== 'addPet') return 404;
  if (!meetsPrecondition(call, current)) return 412;
  if (call.kind === 'deletePet' && current !== undefined)
    return { action: 'deleted', fields: null, profile: current.profile, isSame: false, keepsProfile: true };
  if (call.kind === 'deletePetPhoto' && current?.fields.photos?.includes(digestAt(call.photo ?? 0)) !== true)
    return 404;
  const action = current === undefined ? 'added' : isPut ? 'replaced' : 'edited';
  return effectOf(
    action,
    current,
    { fields: fieldsAfter(call, current), profile: profileAfter(call, current) },
    id,
    model,
  );
}

function decideRestore(call: SentChange, id: string | undefined, model: Catalogue): Decision {
  const versions = model.versionsOf(id ?? '');
  const current = currentOf(versions);
  const isVersion = call.kind === 'restorePetVersion';
  if (!isVersion && current !== undefined) return 409;
  const past = isVersion ? versions.find(({ version }) => version === call.restores) : versions.at(-2);
  if (past === undefined) return 404;
  if (past.fields === null) return 409;
  if (!meetsPrecondition(call, current)) return 412;
  return effectOf('restored', current, { fields: past.fields, profile: past.profile }, id, model);
}

function effectOf(
  action: PetAction,
  current: Current | undefined,
  after: { fields: Fields; profile: Profile },
  id: string | undefined,
  model: Catalogue,
): Decision {
  const keepsProfile = profileText(after.profile) === profileText(current?.profile ?? {});
  const isSame = keepsProfile && current !== undefined && petText('1', current.fields) === petText('1', after.fields);
  const { externalId } = after.profile;
  const isTaken = model.visible(true).some((other) => other.id !== id && other.profile.externalId === externalId);
  if (!keepsProfile && externalId !== undefined && isTaken) return 409;
  return { action, ...after, isSame, keepsProfile };
}

/** RFC 9110: `If-Match` and `If-None-Match: *`, on the version of the pet or of its profile. */
function meetsPrecondition(call: SentChange, current: Current | undefined): boolean {
  if (call.isNew && current !== undefined) return false;
  return call.match === undefined || (current !== undefined && call.match === versionFor(call, current));
}

/** Adds the versions that a client knows, and the idempotency key, to a call. */
export function sentChange(call: Change, catalogue: Catalogue, ownKey: string): SentChange {
  const versions = catalogue.versionsOf(call.id ?? DEFAULT_ID);
  const known = call.ifMatch === undefined ? undefined : versions.at(-1 - call.ifMatch);
  const match = call.ifMatch === undefined ? undefined : known === undefined ? NO_VERSION : versionFor(call, known);
  const key = call.isKeyed === true && ENDPOINTS[call.kind].method === 'POST' ? ownKey : undefined;
  return { ...call, restores: versions.at(-1 - call.back)?.version ?? NO_VERSION, match, key };
}

function versionFor({ kind }: Change, { version, profileVersion }: Version): bigint {
  return kind === 'replacePetProfile' || kind === 'patchPetProfile' ? profileVersion : version;
}

function fieldsAfter({ kind, fields, photo = 0 }: Change, current: Current | undefined): Fields {
  if (kind === 'addPet' || kind === 'updatePet') return fields;
  if (ofPhoto({ kind }))
    return { ...current?.fields, photos: photosAfter(kind, digestAt(photo), current?.fields.photos) };
  if (kind === 'patchPet') return { ...current?.fields, ...fields };
  if (kind !== 'updatePetWithForm') return current?.fields ?? {};
  const { name, status } = fields;
  return { ...current?.fields, ...(name !== undefined && { name }), ...(status !== undefined && { status }) };
}

function photosAfter(kind: Change['kind'], digest: string, before: readonly string[] = []): readonly string[] {
  const others = before.filter((one) => one !== digest);
  if (kind === 'deletePetPhoto') return others;
  return before.includes(digest) ? before : [...before, digest];
}

function profileAfter({ kind, profile }: Change, current: Current | undefined): Profile {
  const before = current?.profile ?? {};
  if (kind === 'updatePetWithForm' || ofPhoto({ kind }) || (profile === undefined && kind !== 'replacePetProfile'))
    return before;
  if (kind === 'patchPet' || kind === 'patchPetProfile') return known({ ...before, ...profile });
  const after = known(profile ?? {});
  // Another profile for a draft leaves it a draft, unless it says that it is published.
  return before.isPublished === false && after.isPublished === undefined ? { ...after, isPublished: false } : after;
}
