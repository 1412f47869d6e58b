/** Long enough for a browser that begins to read only when it draws. */
const STILL_READ_MS = 60_000;

/**
 * Lets go of an address that `URL.createObjectURL` gave, a while after its last use: a picture that is being taken off the screen, or a file that is being
 * saved, may still be read from it, and would fail.
 */
export function releaseLater(address: string): void {
  setTimeout(() => URL.revokeObjectURL(address), STILL_READ_MS);
}
