/**
 * An object with some members replaced. Its methods still run on the original object.
 *
 * @param members replacements for the members of the same names
 */
export function overriding<T extends object>(object: T, members: Partial<T>): T {
  return new Proxy(object, {
    get(target, key) {
      const member: unknown = Reflect.get(members, key) ?? Reflect.get(target, key, target);
      return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
    },
  });
}
