import type { Model } from './model.ts';
import { petText, profileText, publicPart, type Version } from './records.ts';
import type { Profile } from './steps.ts';

/* The lists, counts and events that a client should get according to the model, computed naively. */

export type Visible = ReturnType<Model['visible']>[number];

export function profileFor(isStaff: boolean, profile: Profile): Profile {
  return isStaff ? profile : publicPart(profile);
}

/** The number of pets with each name, by the names that a pet has. */
export function countNames(pets: readonly Visible[], namesOf: (pet: Visible) => readonly (string | undefined)[]) {
  const names = pets.flatMap((pet) => [...new Set(namesOf(pet))].filter((name) => name !== undefined));
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}

export const NAMES_OF = {
  statuses: ({ fields }: Visible) => [fields.status ?? 'none'],
  categories: ({ fields }: Visible) => [fields.category?.name],
  tags: ({ fields }: Visible) => (fields.tags ?? []).map(({ name }) => name),
  breeds: ({ profile }: Visible) => [profile.breedPrimary],
  species: ({ profile }: Visible) => [profile.species],
} as const;

/** The version with which everyone got to know the pet last: that added it, or published it. */
export function additionOf({ versions }: Visible): bigint {
  return versions.findLast((one, index) => one.fields !== null && isAddition(one, versions[index - 1]))?.version ?? 0n;
}

function isAddition({ action, profile }: Version, before: Version | undefined): boolean {
  const wasDraft = before !== undefined && before.fields !== null && isDraft(before.profile);
  return action === 'added' || (wasDraft && !isDraft(profile));
}

function isDraft({ isPublished }: Profile): boolean {
  return isPublished === false;
}

interface Event {
  version: bigint;
  action: string;
  line: string;
}

/** The events of all pets in their order, as lines without their times. */
export function eventsFor(model: Model, isStaff: boolean): readonly Event[] {
  return changesOf(model)
    .map(({ id, now, before }) => (isStaff ? staffEvent(id, now) : publicEvent(id, now, before)))
    .filter((event) => event !== undefined);
}

/** The lines of webhooks: those for everyone, with the author. */
export function webhookLinesOf(model: Model): readonly string[] {
  return changesOf(model)
    .map(({ id, now, before }) => publicEvent(id, now, before, `"actor":{"id":${now.by}},`)?.line)
    .filter((line) => line !== undefined);
}

function changesOf(model: Model) {
  return [...model.pets]
    .flatMap(([id, versions]) => versions.map((now, index) => ({ id, now, before: versions[index - 1] })))
    .toSorted((a, b) => (a.now.version < b.now.version ? -1 : 1));
}

function staffEvent(id: string, { version, action, fields, profile, by }: Version): Event {
  const pet = fields === null ? 'null' : petText(id, fields);
  const known = fields !== null && Object.keys(profile).length > 0 ? `,"profile":${profileText(profile)}` : '';
  const line = `{"version":${version},"type":"pet.${action}","actor":{"id":${by}},"id":${id},"pet":${pet}${known}}`;
  return { version, action, line };
}

/** Of a change, everyone learns what was published before or after it. */
function publicEvent(id: string, now: Version, before: Version | undefined, actor = ''): Event | undefined {
  const { version, action, fields, profile } = now;
  const wasPublic = before !== undefined && before.fields !== null && !isDraft(before.profile);
  const wasDraft = before !== undefined && before.fields !== null && isDraft(before.profile);
  const isPublic = fields !== null && !isDraft(profile);
  if (!isPublic && !wasPublic) return undefined;
  const seen = !isPublic ? 'deleted' : wasDraft ? 'added' : action;
  const pet = isPublic ? petText(id, fields) : 'null';
  return { version, action: seen, line: `{"version":${version},"type":"pet.${seen}",${actor}"id":${id},"pet":${pet}}` };
}

/** The words that an actor may read now, and in the past. */
export function wordsFor(model: Model, isStaff: boolean, words: RegExp): { now: Set<string>; past: Set<string> } {
  const now = model.visible(isStaff).map(({ fields, profile }) => ({ fields, profile: profileFor(isStaff, profile) }));
  const past = isStaff
    ? [...model.pets.values(), model.accounts.names]
    : eventsFor(model, false).map(({ line }) => line);
  const wordsIn = (value: unknown) => new Set(JSON.stringify(value, bigintsAsText).toLowerCase().match(words));
  return { now: wordsIn(now), past: wordsIn([now, past]) };
}

function bigintsAsText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** Whether a word of the pet begins so. */
export function hasWord(beginning: string): (pet: Visible) => boolean {
  return (pet) => {
    const texts = [pet.fields.name, ...NAMES_OF.categories(pet), ...NAMES_OF.tags(pet), ...NAMES_OF.breeds(pet)];
    return texts.some((text) => text?.toLowerCase().startsWith(beginning) === true);
  };
}
