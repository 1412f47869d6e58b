/** In characters. The longest name has 255: as large as others, it would fill the screen. */
const LONG_NAME = 60;

/** Whether a heading is smaller because of its length: on the page before the application as in it, so that nothing moves. */
export function isLongName(name: string): boolean {
  return name.length > LONG_NAME;
}
