import { FEATURE_STORED_NAMES } from '../../features/names.ts';

/*
 * Names that databases have since their first version, and that the service has renamed since. They are translated here
 * and not by a migration: entries of the audit log are never changed, and a history may have millions of versions.
 */

const STORED_NAMES: ReadonlyMap<string, string> = new Map([
  ['deleted', 'removed'],
  ['pet.deleted', 'pet.removed'],
  ['account.deleted', 'account.removed'],
  ...FEATURE_STORED_NAMES,
]);

const NAMES: ReadonlyMap<string, string> = new Map([...STORED_NAMES].map(([name, stored]) => [stored, name]));

/** The stored form of an action, an event type or the kind of a count. */
export function storedName(name: string): string {
  return STORED_NAMES.get(name) ?? name;
}

/** The name with this stored form. */
export function nameOfStored(stored: string): string {
  return NAMES.get(stored) ?? stored;
}
