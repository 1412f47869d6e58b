import { FEATURE_PERSON_KEYS } from '../../features/storage.ts';
import { statement } from './statements.ts';
import { outdatedKeysOf, renewable } from './person-keys.ts';
import { send, type Steps } from './steps.ts';

const TABLES = ['enquiry', 'confirmed_email'].map((table) => ({
  outdatedKeys: outdatedKeysOf(table),
  setKey: statement(`update ${table} set email_key = $2 where email_key = $1`),
}));

/** None, if no feature has persons. */
const OF_FEATURES: readonly (() => Steps<number>)[] = FEATURE_PERSON_KEYS;

/** Brings the keys of earlier versions to the current form. @returns the number of renewed keys */
export function* renewPersonKeys(): Steps<number> {
  let renewed = 0;
  for (const { outdatedKeys, setKey } of TABLES) {
    for (const [outdated, key] of yield* renewable(outdatedKeys)) {
      yield* send(setKey, outdated, key);
      renewed++;
    }
  }
  for (const renewKeys of OF_FEATURES) renewed += yield* renewKeys();
  return renewed;
}
