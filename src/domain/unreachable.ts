/**
 * After a switch over all values of a type: the compiler names the place when a value is added. A value that another
 * version has stored must not get here.
 */
export function unreachable(value: never): never {
  throw new Error(`Unexpected value: ${String(value)}`);
}
