import type { AuditEntryView } from '../admin-queries.ts';

/** Shorter runs are not grouped. */
const MIN_GROUP = 3;

/** Maximum time between two changes of one bulk request. Changes made by hand are further apart. */
const MAX_GAP_MS = 5000;

/**
 * Groups consecutive entries with the same action of one user on different pets, as a bulk request creates them.
 *
 * @returns groups in the order of the entries; a single entry is a group of one
 */
export function groupEntries(entries: readonly AuditEntryView[]): readonly (readonly AuditEntryView[])[] {
  const groups: AuditEntryView[][] = [];
  const pets = new Set<string | undefined>();
  for (const entry of entries) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const isOther = !pets.has(entry.subject?.id);
    if (group !== undefined && last !== undefined && isOther && belongTogether(last, entry)) group.push(entry);
    else {
      groups.push([entry]);
      pets.clear();
    }
    pets.add(entry.subject?.id);
  }
  return groups.flatMap((group) => (group.length >= MIN_GROUP ? [group] : group.map((entry) => [entry])));
}

function belongTogether(one: AuditEntryView, other: AuditEntryView): boolean {
  const isClose = Math.abs(Date.parse(one.at) - Date.parse(other.at)) < MAX_GAP_MS;
  return one.subject?.kind === 'pet' && isClose && keyOf(one) === keyOf(other);
}

function keyOf({ action, actor, via, credential, address, outcome }: AuditEntryView): string {
  return [action, actor?.id, actor?.name, via, credential, address, outcome].join(' ');
}
