import { FEATURE_PERSON_KEYS } from '../../features/storage.ts';
import { renewalIn } from './person-keys.ts';
import type { Steps } from './steps.ts';

const RENEWALS: readonly (() => Steps<number>)[] = [renewalIn('confirmed_email'), ...FEATURE_PERSON_KEYS];

/** Brings the keys of earlier versions to the current form. @returns the number of renewed keys */
export function* renewPersonKeys(): Steps<number> {
  let renewed = 0;
  for (const renew of RENEWALS) renewed += yield* renew();
  return renewed;
}
