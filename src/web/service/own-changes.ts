/*
 * The pets that the current user has changed on this page. A list shows these changes immediately, and new pets of other users only on request.
 */

const ids = new Set<bigint>();

/** Call before the change is sent: the list may be read again before its answer arrives. */
export function noteOwnChanges(pets: readonly { id: bigint }[]): void {
  for (const { id } of pets) ids.add(id);
}

export function isOwnChange({ id }: { id: bigint }): boolean {
  return ids.has(id);
}
