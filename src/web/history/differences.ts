import type { PetView } from '../service/queries.ts';
import type { FieldChange, HistoryEntry } from './history-queries.ts';

/*
 * Compares two versions of a pet.
 */

export interface ListDifference<T> {
  added: readonly T[];
  removed: readonly T[];
  /** True if only the order differs. */
  isReordered: boolean;
}

/** @param keyOf identifies a member */
export function compareLists<T>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (item: T) => string,
): ListDifference<T> {
  const added = without(after, before, keyOf);
  const removed = without(before, after, keyOf);
  return { added, removed, isReordered: added.length + removed.length === 0 };
}

/** Compares two versions as the history of the service does for consecutive ones. */
export function comparePets(before: PetView, after: PetView): readonly FieldChange[] {
  const changes: readonly FieldChange[] = [
    { field: 'name', before: before.name, after: after.name },
    { field: 'status', ...optional('before', before.status), ...optional('after', after.status) },
    { field: 'category', ...optional('before', before.category), ...optional('after', after.category) },
    { field: 'tags', before: before.tags, after: after.tags },
    { field: 'photoUrls', before: before.photoUrls, after: after.photoUrls },
  ];
  return changes.filter((change) => textOf(change.before) !== textOf(change.after));
}

/** Drops lists that are empty in both versions: the first version changes a missing list to an empty one. */
export function visibleChanges(changes: readonly FieldChange[]): readonly FieldChange[] {
  return changes.filter(({ before, after }) => !isNothing(before) || !isNothing(after));
}

function isNothing(value: FieldChange['before']): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

/**
 * The versions with the same content as the newest one: restoring them would change nothing.
 *
 * @param entries from the newest on, without gaps
 */
export function versionsLikeNewest(entries: readonly HistoryEntry[]): ReadonlySet<bigint> {
  const like = new Set<bigint>();
  const now = new Map<string, string | undefined>();
  const then = new Map<string, string | undefined>();
  for (const { version, changes } of entries) {
    if ([...then].every(([field, value]) => now.get(field) === value)) like.add(version);
    for (const { field, before, after } of changes) {
      if (!now.has(field)) now.set(field, textOf(after));
      then.set(field, textOf(before));
    }
  }
  return like;
}

/** Multiset difference: each member as many times as it is missing. */
function without<T>(from: readonly T[], others: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const rest = others.map(keyOf);
  return from.filter((item) => {
    const index = rest.indexOf(keyOf(item));
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
}

function optional<Name extends string, T>(name: Name, value: T | undefined): { [N in Name]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: T };
}

function textOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each));
}
