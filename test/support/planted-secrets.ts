import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { PRIVATE_FIELDS, PROFILE_DEFINITIONS, type PlainField } from '../../src/domain/pets/profile.ts';
import type { Call, CallOptions, HttpResponse } from './client.ts';
import { fileUpload } from './multipart.ts';
import { makePhoto } from './photos.ts';

/*
 * A catalogue with texts that must not leave the service. Each is an invented word that no other text contains, so that
 * a response that has it shows which secret it is.
 */

export interface Secret {
  what: string;
  text: string;
}

/** The beginning of all invented words. */
export const BEGINNING = 'zorb';

/** The word in the name of the pet that everyone sees. */
export const PUBLIC_WORD = 'Openword';
/** The word in the name of the adopted pet: everyone sees it, except those who look for a pet. */
export const ADOPTED_WORD = 'Adoptedword';
/** The name of the pet that is added last. */
export const LAST_WORD = 'Lastword';

export const IDS = { open: 101, adopted: 102, last: 103, draft: 777_000_123, deleted: 777_000_456 } as const;
const HIDDEN_IDS: ReadonlySet<number> = new Set([IDS.draft, IDS.deleted]);

export function wordFor(what: string): string {
  const hex = createHash('sha256').update(what).digest('hex').slice(0, 12);
  return BEGINNING + hex.replaceAll(/\d/g, (digit) => String.fromCodePoint(107 + Number(digit)));
}

export const secretFor = (what: string): Secret => ({ what, text: wordFor(what) });

const DRAFT = Object.fromEntries(
  ['name', 'category', 'tag', 'url', 'breed', 'summary', 'story', 'own', 'externalId', 'alt'].map((field) => [
    field,
    wordFor(`${field} of a draft`),
  ]),
);
const DELETED = { name: wordFor('name of a deleted pet'), tag: wordFor('tag of a deleted pet') };

/** A private field that is added has a secret as well. */
function privateValue(name: PlainField): string {
  const { type } = PROFILE_DEFINITIONS[name];
  if (type === 'date') return '2037-03-19';
  if (type === 'line' || type === 'text') return wordFor(`private field ${name}`);
  return assert.fail(`no secret value of the type ${type}`);
}

const PRIVATE_PROFILE = Object.fromEntries(PRIVATE_FIELDS.map((name) => [name, privateValue(name)]));

const OWN_SECRETS = ['value', 'label', 'German label', 'choice'].map((what) => `${what} of a private own field`);
const [ownValue = '', ownLabel = '', ownGerman = '', ownChoice = ''] = OWN_SECRETS.map(wordFor);

export const PERSONAL = ['first name', 'last name', 'address', 'phone'].map((what) => secretFor(`${what} of a user`));

export interface Planted {
  /** What nobody but staff may read. */
  secrets: readonly Secret[];
  /** What everyone may read of the past (`public-past.test.ts`). */
  ofPast: readonly Secret[];
  photos: { open: string; draft: string };
}

const OWN_FIELDS = [
  { key: 'openField', type: 'text', label: { en: 'Open', de: 'Offen' }, isPublic: true },
  { key: 'hiddenField', type: 'text', label: { en: ownLabel, de: ownGerman }, isPublic: false },
  {
    key: 'hiddenChoice',
    type: 'choice',
    label: { en: 'Group', de: 'Gruppe' },
    choices: [{ value: 'a', labelEn: ownChoice, labelDe: ownChoice }],
    isPublic: false,
  },
];

const pet = (id: number, name: string, status = 'available') => ({ id, name, status, category: { name: 'Dogs' } });

/** @param as sends requests of an administrator; in open access, there are none, and no own fields */
export async function plantSecrets(as: Call, access: 'secured' | 'open' = 'secured'): Promise<Planted> {
  const ok = async (method: string, path: string, options: CallOptions): Promise<HttpResponse> => {
    const response = await as(method, path, options);
    assert.equal(response.status, 200, `${method} ${path}: ${response.text}`);
    return response;
  };
  const photoOf = async (id: number, seed: number, alt: string): Promise<string> => {
    const upload = fileUpload(await makePhoto({ seed, width: 64, height: 48 }));
    await ok('POST', `pet/${id}/uploadImage`, upload);
    const { text } = await ok('GET', `pet/${id}`, {});
    const digest = /photo\/([0-9a-f]{64})/.exec(text)?.[1] ?? assert.fail(text);
    await ok('PATCH', `pet/${id}/photos/${digest}`, { json: { alt } });
    return digest;
  };
  const hasOwn = access === 'secured';
  if (hasOwn) await ok('PUT', 'own-fields', { json: { fields: OWN_FIELDS } });
  const profile = { ...PRIVATE_PROFILE, species: 'dog', breedPrimary: 'Boxer', sex: 'male', size: 'M' };
  const own = { openField: 'seen', hiddenField: ownValue, hiddenChoice: 'a' };
  const open = {
    ...profile,
    birthDate: '2024-01-31',
    summary: 'Friendly',
    description: '**Story**',
    ...(hasOwn && { own }),
  };
  const draft = {
    ...pet(IDS.draft, DRAFT['name'] ?? ''),
    category: { name: DRAFT['category'] },
    tags: [{ name: DRAFT['tag'] }, { name: 'calm' }],
    photoUrls: [`https://photos.example/${DRAFT['url']}.jpg`],
    profile: {
      ...open,
      breedPrimary: DRAFT['breed'],
      summary: DRAFT['summary'],
      description: DRAFT['story'],
      externalId: DRAFT['externalId'],
      ...(hasOwn && { own: { openField: DRAFT['own'] } }),
      isPublished: false,
    },
  };
  await ok('POST', 'pet', { json: draft });
  const deleted = { ...pet(IDS.deleted, DELETED.name, 'pending'), tags: [{ name: DELETED.tag }] };
  await ok('POST', 'pet', { json: { ...deleted, profile: { species: 'dog', ...PRIVATE_PROFILE } } });
  await ok('DELETE', `pet/${IDS.deleted}`, {});
  const adopted = pet(IDS.adopted, ADOPTED_WORD, 'sold');
  await ok('POST', 'pet', { json: { ...adopted, profile: { species: 'dog', breedPrimary: 'Boxer' } } });
  // Last, as these are mailed at once to those who have saved a search.
  await ok('POST', 'pet', { json: { ...pet(IDS.open, PUBLIC_WORD), tags: [{ name: 'calm' }], profile: open } });
  const photos = { open: await photoOf(IDS.open, 1, 'A dog'), draft: await photoOf(IDS.draft, 2, DRAFT['alt'] ?? '') };
  await ok('POST', 'pet', { json: { ...pet(IDS.last, LAST_WORD), profile: { species: 'dog' } } });
  return {
    secrets: [
      ...Object.entries(DRAFT).map(([field, text]) => ({ what: `${field} of a draft`, text })),
      { what: 'id of a draft', text: String(IDS.draft) },
      { what: 'photo of a draft', text: photos.draft },
      ...Object.entries(PRIVATE_PROFILE).map(([name, text]) => ({ what: `private field ${name}`, text })),
      ...OWN_SECRETS.map(secretFor),
      { what: 'key of a private own field', text: 'hiddenField' },
    ],
    ofPast: [
      { what: 'name of a deleted pet', text: DELETED.name },
      { what: 'tag of a deleted pet', text: DELETED.tag },
      { what: 'id of a deleted pet', text: String(IDS.deleted) },
    ],
    photos,
  };
}

/** The secrets in a text, apart from what the request for it asks. */
export function secretsIn(text: string, asked: string, secrets: readonly Secret[]): readonly string[] {
  const rest = [...HIDDEN_IDS].reduce(
    (left, id) => (asked.includes(String(id)) ? left.replaceAll(String(id), '') : left),
    text.toLowerCase(),
  );
  return secrets
    .filter((secret) => !asked.includes(secret.text) && rest.includes(secret.text.toLowerCase()))
    .map(({ what }) => what);
}
