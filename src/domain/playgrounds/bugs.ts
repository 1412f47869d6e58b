/*
 * Planted bugs: violations of the contract that a playground makes on purpose, to find out what a test suite notices.
 */

/** What each bug does. Its ID says nothing about it, so that it can be given to the authors of a test suite. */
export const BUG_DESCRIPTIONS = {
  'bug-01': 'A page of a list that is requested with a cursor lacks its first pet.',
  'bug-02': 'If-Match is ignored, so that the change of another client is lost.',
  'bug-03': 'IDs above 2^53 are rounded in the response of getPetById.',
  'bug-04': 'The filter by category is ignored by findPets.',
  'bug-05': 'After a change of a pet, the first getPetById still returns the pet as it was.',
  'bug-06': 'deletePet does not require credentials in secured access, once a pet has been changed with some.',
  'bug-07': 'addPet responds with 201 instead of 200.',
  'bug-08': 'Lists have no Link header, so that clients stop after the first page.',
  'bug-09': 'Lists by status are sorted by the ID as text: 10 comes before 9.',
  'bug-10': 'findPetsByTags returns a pet once for each of its tags that match.',
  'bug-11': 'A deleted pet that was read before is still returned by getPetById.',
  'bug-12': 'The ETag of a pet stays the same after a change.',
  'bug-13': 'getUserByName does not find users whose name is written in another case.',
  'bug-14': 'A pet in XML is sent with the Content-Type of JSON.',
  'bug-15': 'getPetById leaves out the last photo of a pet that has several.',
  'bug-16': 'The total of findPets is one too high.',
  'bug-17': 'Names of pets are cut off after 64 characters by getPetById.',
  'bug-18': 'The response for a pet that does not exist has the status 200.',
  'bug-19': 'getPetById leaves out tags that are empty, instead of an empty list.',
  'bug-20': 'Idempotency-Key is ignored, so that a repeated request is executed again.',
} as const;

export type BugId = keyof typeof BUG_DESCRIPTIONS;

export const BUG_IDS = Object.keys(BUG_DESCRIPTIONS) as readonly BugId[];

/** A response or request that a bug changed. */
export interface BugMeeting {
  atMs: number;
  /** The ID of the request, as in its response. */
  requestId: string;
}

export interface BugState {
  id: BugId;
  isOn: boolean;
  /** The number of requests that it changed something for, since the playground was created. */
  met: number;
  last: BugMeeting | undefined;
}
