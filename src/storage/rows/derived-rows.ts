import type { PetAction } from '../../domain/pets/pet-change.ts';
import { SOLD_END } from '../../domain/pets/pet.ts';
import { DAY_MS, type Tally } from '../../domain/search/counts.ts';
import { nameOfStored } from './stored-names.ts';

/*
 * What is derived from the history, the same on both engines: the version in which a pet was added, and the counts of
 * days. Stores maintain both with each change (`isPublished`, `Tally.countChange`).
 */

/** The kinds of counts of days, as they are stored. */
export const DAY_KINDS = `'added', 'changed', 'removed', 'adopted',
  'hidden-added', 'hidden-changed', 'hidden-deleted', 'hidden-adopted'`;

/** The condition that a version adds its pet: for everyone, a draft is added when it is published. */
export function isAddition(version: string): string {
  return `(${version}.action = 'added' or (${version}.was_draft = 1 and ${version}.is_draft = 0 and ${version}.text is not null))`;
}

export const LAST_ADDITION = `(select pet_id, max(version) as version from pet_version where ${isAddition('pet_version')}
  group by pet_id) as addition`;

export const SET_ADDED_VERSIONS: readonly string[] = ['pet', 'removed_pet'].map(
  (table) => `update ${table} set added_version = addition.version from ${LAST_ADDITION}
    where addition.pet_id = ${table}.id and ${table}.added_version <> addition.version`,
);

export const LAST_VERSION = `(select coalesce(max(version), 0)
  from (select max(version) as version from pet_version union all select max(version) from account_change) as newest)`;

/** Changes of a day that are counted alike. */
export type ChangeGroup = [
  day: bigint,
  action: string,
  isDraft: bigint,
  wasDraft: bigint,
  before: bigint,
  after: bigint,
  times: bigint,
];

const [DELETED, THERE, SOLD] = [0, 1, 2];

/**
 * The changes after a version, up to another. The version before is read only if the kinds of the change depend on it.
 * @param isSold the condition that a text is that of a sold pet
 */
export function changeGroups(after: string, upTo: string, isSold: (text: string) => string): string {
  const stateOf = (text: string) =>
    `case when ${text} is null then ${DELETED} when ${isSold(text)} then ${SOLD} else ${THERE} end`;
  return `select change.changed_at_ms / ${DAY_MS}, change.action, change.is_draft, change.was_draft,
      ${stateOf('earlier.text')}, ${stateOf('change.text')}, count(*)
    from pet_version as change left join pet_version as earlier
      on earlier.pet_id = change.pet_id and earlier.version = change.previous
        and (change.is_draft = 1 or change.was_draft = 1 or ${isSold('change.text')})
    where change.version > ${after} and change.version <= ${upTo} group by 1, 2, 3, 4, 5, 6`;
}

/** Counts the changes of a group. */
export function countGroup(tally: Tally, [day, action, isDraft, wasDraft, before, after, times]: ChangeGroup): void {
  tally.countChange(
    {
      action: nameOfStored(action) as PetAction,
      atMs: Number(day) * DAY_MS,
      before: petIn(before, wasDraft),
      after: petIn(after, isDraft),
    },
    Number(times),
  );
}

/** A pet that is counted like one in this state. */
function petIn(state: bigint, isDraft: bigint) {
  if (Number(state) === DELETED) return undefined;
  return { text: Number(state) === SOLD ? SOLD_END : '', isDraft: isDraft !== 0n };
}
