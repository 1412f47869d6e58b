/**
 * Pets that the current user has changed on this page. A list shows these changes immediately, and new pets of other
 * users only on request.
 */
const ownChanges = new Set<bigint>();

/** Must be called before the change is sent: the list may be refreshed before the response arrives. */
export function noteOwnChanges(pets: readonly { id: bigint }[]): void {
  for (const { id } of pets) ownChanges.add(id);
}

export function isOwnChange({ id }: { id: bigint }): boolean {
  return ownChanges.has(id);
}
