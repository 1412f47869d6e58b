import * as fc from 'fast-check';
import { ROLES, type Role } from '../../src/domain/access.ts';
import { PET_STATUSES, type PetStatus } from '../../src/domain/pets/pet.ts';

/*
 * The steps of a run. They are plain data that name no ID, version or word that only the run knows, so that fewer of
 * them still make a run: a failure is reduced to a few steps.
 */

const SESSIONS = ['a session', 'another session'] as const;

/**
 * Those who send requests: an anonymous client, users, and their API keys. A session or key without an owner is the
 * last one of a user of the run, which may have ended.
 */
export const ACTORS = ['anonymous', 'vera', 'edna', 'root', "vera's key", "edna's key", ...SESSIONS, 'a key'] as const;
export type Who = (typeof ACTORS)[number];

/** It may not write pets, whatever its owner may. */
export const READING_KEY = "vera's key" satisfies Who;

/** Whose credential changes during a run. */
export function isOfRun(who: Who): boolean {
  return who === 'a key' || SESSIONS.some((one) => one === who);
}

export const USERS = ['root', 'edna', 'vera'] as const;
export type Username = (typeof USERS)[number];

/** The names that users of a run get, also one after the other. */
export const NAMES = ['zqzqanna', 'zqzqolga'] as const;
export type Name = (typeof NAMES)[number];

export const ACCOUNT_CALLS = [
  'createUser',
  'updateUser',
  'deleteUser',
  'closeUser',
  'reopenUser',
  'changePassword',
  'loginUserWithBody',
  'logoutUser',
  'createKey',
  'revokeKey',
  'endOtherSessions',
  'endUserSessions',
  'getAccount',
  'getUserByName',
  'searchUsers',
  'listAuditEntries',
] as const;

/** About users, sessions and keys. */
export interface AccountCall {
  kind: (typeof ACCOUNT_CALLS)[number];
  by: Who;
  name: Name;
  newName: Name;
  password: number;
  newPassword?: number | undefined;
  /** Whether a new password leaves the keys, and whether a new key may write pets. */
  keepsKeys: boolean;
  /** The new `userStatus`. */
  status?: number | undefined;
  word: string;
  /** To whom the credential of a login is given. */
  as: Who;
}

/** With the key that is revoked. */
export interface SentAccountCall extends AccountCall {
  keyId: string;
}

export interface Fields {
  name?: string | undefined;
  category?: { name: string } | undefined;
  tags?: readonly { name: string }[] | undefined;
  status?: PetStatus | undefined;
  /** Digests. Only uploads add photos. */
  photos?: readonly string[] | undefined;
}

export interface Profile {
  species?: 'dog' | 'cat' | undefined;
  breedPrimary?: string | undefined;
  microchip?: string | undefined;
  medicalNote?: string | undefined;
  unit?: string | undefined;
  summary?: string | undefined;
  externalId?: string | undefined;
  isPublished?: boolean | undefined;
}

/** Null deletes a field. */
export type ProfilePatch = { [Field in keyof Profile]?: Profile[Field] | null };

export const CHANGES = [
  'addPet',
  'updatePet',
  'updatePetWithForm',
  'patchPet',
  'deletePet',
  'replacePetProfile',
  'patchPetProfile',
  'restorePet',
  'restorePetVersion',
  'uploadFile',
  'deletePetPhoto',
] as const;

export const ENQUIRY_CALLS = [
  'sendEnquiry',
  'listEnquiries',
  'answerEnquiry',
  'addEnquiryNote',
  'deleteEnquiry',
  'eraseEnquiries',
] as const;

/** Those that a line of a bulk request may be. */
export const BULK_KINDS = [
  'addPet',
  'updatePet',
  'patchPet',
  'deletePet',
] as const satisfies (typeof CHANGES)[number][];

export function ofPhoto({ kind }: Pick<Change, 'kind'>): boolean {
  return kind === 'uploadFile' || kind === 'deletePetPhoto';
}

export interface Change {
  kind: (typeof CHANGES)[number];
  by: Who;
  /** Absent for one that the service assigns. */
  id?: string | undefined;
  fields: Fields;
  profile?: ProfilePatch | undefined;
  /** Which version of the pet is restored, counted from the last one. */
  back: number;
  /** The version in `If-Match`, counted from the last one. */
  ifMatch?: number | undefined;
  /** Sends `If-None-Match: *`. */
  isNew: boolean;
  /** Sends an `Idempotency-Key`, if it is a POST. */
  isKeyed?: boolean;
  /** Which photo is added or deleted. */
  photo?: number;
}

/** A change with the versions and the key that its request has. */
export interface SentChange extends Change {
  restores: bigint;
  match: bigint | undefined;
  key: string | undefined;
}

export interface Read {
  kind: 'getPetById' | 'getPetProfile' | 'listPetHistory' | 'findPets' | 'getUserAsAdmin';
  by: Who;
  /** Of a pet, or the name of a user. */
  id: string;
}

export interface SetRole {
  kind: 'setUserRole';
  by: Who;
  username: Exclude<Username, 'root'> | Name;
  role: Role;
}

/** Of a visitor or the staff, about enquiries. */
export interface EnquiryCall {
  kind: (typeof ENQUIRY_CALLS)[number];
  by: Who;
  /** Of the pet. */
  id: string;
  person: number;
  /** Of the address. */
  spelling: number;
  /** A new word. */
  text: string;
  /** Which enquiry, counted from the last one. */
  back: number;
}

/** With what it is about. */
export interface SentEnquiryCall extends EnquiryCall {
  target: { id: string; text: string };
}

export type Call = Change | Read | SetRole | EnquiryCall | AccountCall;
export type SentCall = SentChange | Read | SetRole | SentEnquiryCall | SentAccountCall;

/** A change whose body is sent after another call: its headers have arrived before. */
export interface Held {
  held: Change | AccountCall;
  meanwhile: Call;
}

/** Changes as the lines of one request. */
export interface Bulk {
  bulk: readonly Change[];
}

/** A request with an `Idempotency-Key` is sent again. */
export interface Again {
  /** Which one, counted from the last one. */
  again: number;
}

/** Calls that are sent at the same time to a process that is killed, or stopped, before all have a response. */
export interface Cut {
  cut: readonly Call[];
  /** Whether it ends after the first success. */
  waits: boolean;
}

/** Calls that are sent at the same time, a stop and a start of the service, or a change that takes long to arrive. */
export type Step = readonly Call[] | 'restart' | Held | Bulk | Again | Cut;

/** In the place of this character, a run has letters that make the word a new one. */
const NEW = '§';

/** The words of a run, and the names of photos. */
export const WORDS = /zqzq[a-z]+|\b[\da-f]{64}\b/g;

/** The pet of a call in whose path no ID would be. */
export const DEFAULT_ID = '1';

export const IDS = ['1', '2', '3', '9223372036854775807'] as const;

/** Mostly editors, who change something. */
const who = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Who>('edna', 'root', "edna's key") },
  { weight: 1, arbitrary: fc.constantFrom(...ACTORS) },
);

const id = fc.constantFrom(...IDS);

const label = fc.constantFrom('zqzqcalm', 'zqzqshy', `zqzq${NEW}label`).map((name) => ({ name }));

const fields: fc.Arbitrary<Fields> = fc.record(
  {
    name: fc.constantFrom(`Zqzq${NEW}name`, 'Zqzqrex'),
    category: label,
    tags: fc.uniqueArray(label, { maxLength: 2, selector: ({ name }) => name }),
    status: fc.constantFrom(...PET_STATUSES),
  },
  { requiredKeys: [] },
);

const profile: fc.Arbitrary<ProfilePatch> = fc.record(
  {
    species: fc.constantFrom('dog', 'cat', null),
    breedPrimary: fc.constantFrom('zqzqboxer', `zqzq${NEW}breed`, null),
    microchip: fc.constantFrom(`zqzq${NEW}chip`, null),
    medicalNote: fc.constantFrom(`zqzq${NEW}note`, null),
    unit: fc.constant(`zqzq${NEW}unit`),
    summary: fc.constantFrom(`zqzq${NEW}summary`, null),
    externalId: fc.constantFrom('zqzqone', 'zqzqtwo', null),
    isPublished: fc.constantFrom(false, true, null),
  },
  { requiredKeys: [] },
);

const change: fc.Arbitrary<Change> = fc
  .record({
    kind: fc.constantFrom(...CHANGES, 'addPet', 'uploadFile'),
    by: who,
    id: fc.option(id, { nil: undefined, freq: 4 }),
    fields,
    profile: fc.option(profile, { nil: undefined }),
    back: fc.nat(3),
    ifMatch: fc
      .option(fc.nat(1), { nil: undefined, freq: 1 })
      .chain((back) => fc.constantFrom(undefined, undefined, back)),
    isNew: fc.constantFrom(false, false, false, true),
    isKeyed: fc.boolean(),
    photo: fc.nat(1),
  })
  .map((one) => (ofPhoto(one) ? { ...one, ifMatch: undefined, isNew: false } : one));

const read: fc.Arbitrary<Read> = fc.record({
  kind: fc.constantFrom('getPetById', 'getPetProfile', 'listPetHistory', 'findPets'),
  by: fc.constantFrom(...ACTORS),
  id,
});

const setRole: fc.Arbitrary<SetRole> = fc.record({
  kind: fc.constant('setUserRole'),
  by: fc.constantFrom('root', 'root', 'root', 'edna', 'vera', 'anonymous', "edna's key"),
  username: fc.constantFrom('edna', 'vera', ...NAMES),
  role: fc.constantFrom(...ROLES),
});

const enquiry: fc.Arbitrary<EnquiryCall> = fc.record({
  kind: fc.constantFrom(...ENQUIRY_CALLS, 'sendEnquiry', 'sendEnquiry', 'sendEnquiry'),
  by: fc.constantFrom(...ACTORS, 'root', 'edna'),
  id: fc.constantFrom('1', '2', '3'),
  person: fc.nat(1),
  spelling: fc.nat(3),
  text: fc.constant(`zqzq${NEW}asked`),
  back: fc.nat(1),
});

const ofRun = fc.constantFrom<Who>(...SESSIONS, 'a key');

const account: fc.Arbitrary<AccountCall> = fc
  .record({
    kind: fc.constantFrom(...ACCOUNT_CALLS, 'createUser', 'loginUserWithBody', 'loginUserWithBody', 'createKey'),
    by: fc.oneof({ weight: 3, arbitrary: fc.constantFrom<Who>(...SESSIONS, 'root') }, { weight: 1, arbitrary: who }),
    name: fc.constantFrom(...NAMES),
    newName: fc.constantFrom(...NAMES),
    password: fc.constantFrom(0, 0, 0, 1),
    newPassword: fc.constantFrom(undefined, 0, 1),
    keepsKeys: fc.boolean(),
    status: fc.constantFrom(undefined, undefined, 2, 3),
    word: fc.constant(`zqzq${NEW}person`),
    as: fc.constantFrom(...SESSIONS),
  })
  .map((one) => ({
    ...one,
    // Runs are set up and compared as root.
    by: one.kind === 'logoutUser' && one.by === 'root' ? 'a session' : one.by,
    as: one.kind === 'createKey' ? 'a key' : one.as,
  }));

const call = fc.oneof<fc.WeightedArbitrary<Call>[]>(
  { weight: 8, arbitrary: account },
  { weight: 12, arbitrary: change },
  { weight: 4, arbitrary: read },
  { weight: 1, arbitrary: setRole },
  { weight: 3, arbitrary: enquiry },
);

/** Lists are read in batches, so they may have a part of what changes meanwhile. */
const together = fc
  .array(
    call.filter(({ kind }) => kind !== 'findPets'),
    { minLength: 2, maxLength: 3 },
  )
  .map(withoutReplaced);

/** Without the calls whose credential another one replaces: nobody knows which one they have. */
function withoutReplaced(calls: readonly Call[]): readonly Call[] {
  return calls.filter((one, index) => {
    const others = calls.filter((other, place) => place !== index && isLogin(other));
    return !others.some((other) => 'as' in other && (other.as === one.by || (isLogin(one) && other.as === one.as)));
  });
}

function isLogin(one: Call): one is AccountCall {
  return one.kind === 'loginUserWithBody' || one.kind === 'createKey';
}

/** Those with a body, and those that may end what the others are sent with. */
const heldCall = fc.constantFrom('createUser', 'updateUser', 'changePassword', 'createKey');
const ending = fc.constantFrom<(typeof ACCOUNT_CALLS)[number]>(
  ...ACCOUNT_CALLS.slice(1, 8).filter((kind) => kind !== 'loginUserWithBody'),
  ...(['revokeKey', 'endOtherSessions', 'endUserSessions'] as const),
);

const heldOfRun: fc.Arbitrary<Held> = fc
  .record({ change, account, kind: heldCall, isPet: fc.boolean(), by: ofRun, meanwhile: account, ending })
  .map(({ change, account, kind, isPet, by, meanwhile, ending }) => ({
    held: isPet ? { ...change, by, kind: 'addPet' } : { ...account, by, kind },
    meanwhile: { ...meanwhile, kind: ending, by: ending === 'logoutUser' ? by : meanwhile.by },
  }));

/** Mostly, the role of its author is another one when its body arrives. */
const heldOfAll: fc.Arbitrary<Held> = fc
  .record({
    held: change,
    meanwhile: fc.oneof({ weight: 3, arbitrary: setRole }, { weight: 1, arbitrary: change }),
    by: fc.constantFrom<Who>('edna', 'vera', "edna's key"),
  })
  .map(({ held, meanwhile, by }) => ({
    held: { ...held, by, kind: 'addPet' },
    meanwhile: 'fields' in meanwhile ? meanwhile : { ...meanwhile, by: 'root', username: by === 'vera' ? by : 'edna' },
  }));

const held = fc.oneof(heldOfAll, heldOfRun);

const bulk: fc.Arbitrary<Bulk> = fc
  .tuple(who, fc.array(change, { minLength: 1, maxLength: 3 }))
  .map(([by, changes]) => ({
    bulk: changes.map((one) => {
      const kind = BULK_KINDS.find((each) => each === one.kind) ?? 'addPet';
      return { ...one, by, kind, isNew: one.isNew && kind === 'addPet' };
    }),
  }));

/** If it is executed twice, there is one pet more. */
const keyedAddition = change.map((one): Change => ({
  ...one,
  kind: 'addPet',
  id: undefined,
  fields: { name: 'Zqzqrex', ...one.fields },
  isKeyed: true,
}));

/** The ID of a new user is only in the response. */
const withoutSignUps = together.map((calls) => calls.filter(({ kind }) => kind !== 'createUser'));

const cut: fc.Arbitrary<Cut> = fc.record({
  cut: fc.oneof(withoutSignUps, fc.array(fc.oneof(change, keyedAddition), { minLength: 2, maxLength: 4 })),
  waits: fc.constantFrom(true, true, false),
});

const steps: fc.WeightedArbitrary<Step>[] = [
  { weight: 16, arbitrary: call.map((one) => [one]) },
  { weight: 6, arbitrary: together },
  { weight: 3, arbitrary: held },
  { weight: 2, arbitrary: bulk },
  { weight: 2, arbitrary: fc.record({ again: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.constant('restart') },
  { weight: 2, arbitrary: cut },
];

/** @param kills whether processes are killed: a start takes long, so these runs have fewer other steps */
export function runsWith(kills: boolean): fc.Arbitrary<readonly Step[]> {
  const step = kills ? fc.oneof({ weight: 20, arbitrary: cut }, ...steps) : fc.oneof(...steps);
  return fc.array(step, { minLength: 1, maxLength: kills ? 20 : 40, size: 'max' });
}

/** The call with words that no other step has. */
export function withNewWords<T>(call: T, step: number, place: number): T {
  const letters = `${step} ${place}`.replaceAll(/./g, (character) => 'abcdefghij'[Number(character)] ?? 'x');
  return JSON.parse(JSON.stringify(call), (_name, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(NEW, `x${letters}x`) : value,
  ) as T;
}
