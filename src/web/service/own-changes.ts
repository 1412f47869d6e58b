/*
 * The pets that the viewer has changed on this page. A list shows at once what becomes of them; new pets of others wait until they are asked for.
 */

const ids = new Set<bigint>();

/** Call before the change is sent: the list may be read again before its answer arrives. */
export function noteOwnChanges(pets: readonly { id: bigint }[]): void {
  for (const { id } of pets) ids.add(id);
}

export function isOwnChange({ id }: { id: bigint }): boolean {
  return ids.has(id);
}
