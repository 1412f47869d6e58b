/*
 * Planted bugs: violations of the contract that a playground makes on purpose, to find out what a test suite notices.
 */

/** By the rule of the contract that a bug violates. */
export const BUG_GROUPS = ['wrong-data', 'wrong-status', 'lost-update', 'paging', 'security'] as const;

export type BugGroup = (typeof BUG_GROUPS)[number];

interface BugDescription {
  group: BugGroup;
  /** Whether a suite meets it with nothing but operations and fields of the public Petstore. */
  isPetstore?: true;
  description: string;
}

/** All bugs. The ID of a bug says nothing about it, so that it can be given to the authors of a test suite. */
export const BUGS = {
  'bug-01': { group: 'paging', description: 'A page of a list that is requested with a cursor lacks its first pet.' },
  'bug-02': { group: 'lost-update', description: 'If-Match is ignored, so that the change of another client is lost.' },
  'bug-03': { group: 'wrong-data', description: 'IDs above 2^53 are rounded in the response of getPetById.' },
  'bug-04': { group: 'wrong-data', description: 'The filter by category is ignored by findPets.' },
  'bug-05': {
    group: 'lost-update',
    isPetstore: true,
    description: 'After a change of a pet, the first getPetById still returns the pet as it was.',
  },
  'bug-06': {
    group: 'security',
    description: 'deletePet does not require credentials in secured access, once a pet has been changed with some.',
  },
  'bug-07': { group: 'wrong-status', isPetstore: true, description: 'addPet responds with 201 instead of 200.' },
  'bug-08': { group: 'paging', description: 'Lists have no Link header, so that clients stop after the first page.' },
  'bug-09': { group: 'paging', description: 'Lists by status are sorted by the ID as text: 10 comes before 9.' },
  'bug-10': {
    group: 'wrong-data',
    isPetstore: true,
    description: 'findPetsByTags returns a pet once for each of its tags that match.',
  },
  'bug-11': {
    group: 'lost-update',
    isPetstore: true,
    description: 'A deleted pet that was read before is still returned by getPetById.',
  },
  'bug-12': { group: 'lost-update', description: 'The ETag of a pet stays the same after a change.' },
  'bug-13': {
    group: 'wrong-status',
    description: 'getUserByName does not find users whose name is written in another case.',
  },
  'bug-14': { group: 'wrong-data', description: 'A pet in XML is sent with the Content-Type of JSON.' },
  'bug-15': { group: 'wrong-data', description: 'getPetById leaves out the last photo of a pet that has several.' },
  'bug-16': { group: 'paging', description: 'The total of findPets is one too high.' },
  'bug-17': { group: 'wrong-data', description: 'Names of pets are cut off after 64 characters by getPetById.' },
  'bug-18': {
    group: 'wrong-status',
    isPetstore: true,
    description: 'The response for a pet that does not exist has the status 200.',
  },
  'bug-19': {
    group: 'wrong-data',
    isPetstore: true,
    description: 'getPetById leaves out tags that are empty, instead of an empty list.',
  },
  'bug-20': {
    group: 'lost-update',
    description: 'Idempotency-Key is ignored, so that a repeated request is executed again.',
  },
  'bug-21': { group: 'wrong-data', isPetstore: true, description: 'findPetsByStatus leaves out the last pet.' },
  'bug-22': {
    group: 'lost-update',
    isPetstore: true,
    description: 'After a change of a user, the first getUserByName still returns the user as before.',
  },
  'bug-23': { group: 'security', isPetstore: true, description: 'loginUser accepts a wrong password.' },
  'bug-24': {
    group: 'wrong-status',
    isPetstore: true,
    description: 'The response to deletePet for a pet that does not exist has the status 200.',
  },
  'bug-25': {
    group: 'wrong-status',
    description: 'A change of a pet with an outdated If-Match gets the status 409 instead of 412.',
  },
  'bug-26': {
    group: 'wrong-status',
    description: 'getPetById ignores If-None-Match, and sends a pet that has not changed again.',
  },
  'bug-27': {
    group: 'wrong-status',
    description: 'A body that is neither JSON nor XML gets the status 400 instead of 415.',
  },
  'bug-28': { group: 'security', description: 'getUserByName returns the hash of the password.' },
  'bug-29': { group: 'security', description: 'In secured access, a session remains valid after logoutUser.' },
  'bug-30': {
    group: 'security',
    description:
      'In secured access, getUserByName returns a user that was read before to clients that may not read it.',
  },
} as const satisfies Readonly<Record<string, BugDescription>>;

export type BugId = keyof typeof BUGS;

export const BUG_IDS = Object.keys(BUGS) as readonly BugId[];

export function describeBug(id: BugId): BugDescription {
  return BUGS[id];
}

/** A request whose response a bug changed. */
export interface BugMeeting {
  atMs: number;
  /** The ID of the request, as in its response. */
  requestId: string;
}

export interface BugState {
  id: BugId;
  isOn: boolean;
  /** The number of requests whose response it changed, since the playground was created. */
  met: number;
  last: BugMeeting | undefined;
}
