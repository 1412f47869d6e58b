/** An object whose users keep it while what is behind it is replaced. */
export interface Replaceable<T extends object> {
  /** Has the same parts as the first object; each call goes to the newest one. Values that are neither functions nor objects stay those of the first. */
  parts: T;
  /** Sends further calls to this object. The one before is closed when the last call to it has ended. */
  replace: (next: T) => void;
  /** Resolves when all objects are closed. */
  close: () => Promise<void>;
}

interface Generation<T> {
  parts: T;
  calls: number;
  isRetired: boolean;
  closed: PromiseWithResolvers<void>;
}

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** @param closeOld closes an object that will not be called any more */
export function createReplaceable<T extends object>(first: T, closeOld: (old: T) => Promise<void>): Replaceable<T> {
  let current = generation(first);
  const generations = new Set([current]);

  function closeIfUnused(one: Generation<T>): void {
    if (!one.isRetired || one.calls > 0) return;
    const forget = () => void generations.delete(one);
    closeOld(one.parts).then(one.closed.resolve, one.closed.reject);
    one.closed.promise.then(forget, forget);
  }

  function retire(one: Generation<T>): void {
    one.isRetired = true;
    closeIfUnused(one);
  }

  function counted(call: () => unknown): unknown {
    const one = current;
    one.calls++;
    const leave = () => {
      one.calls--;
      closeIfUnused(one);
    };
    try {
      const answer = call();
      if (answer instanceof Promise) return answer.finally(leave);
      leave();
      return answer;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** @param read returns the object that has the part, of the newest generation */
  function follow(read: () => object, key: string | symbol): unknown {
    const readPart = () => (read() as Record<string | symbol, unknown>)[key];
    const part = readPart();
    if (typeof part === 'function')
      return (...args: unknown[]) => counted(() => (readPart() as AnyFunction).apply(read(), args));
    return isReplaceable(part) ? followAll(part, readPart as () => object) : part;
  }

  /** A plain object keeps its own properties, so that it can be spread; the members of other objects, such as stores, are looked up when they are used. */
  function followAll(part: object, read: () => object): object {
    if (!isPlainObject(part)) return new Proxy({}, { get: (_target, key) => follow(read, key) });
    return Object.fromEntries(Object.keys(part).map((key) => [key, follow(read, key)]));
  }

  return {
    parts: followAll(first, () => current.parts) as T,
    replace(next) {
      const old = current;
      current = generation(next);
      generations.add(current);
      retire(old);
    },
    async close() {
      retire(current);
      await Promise.all([...generations].map(({ closed }) => closed.promise));
    },
  };
}

function generation<T>(parts: T): Generation<T> {
  return { parts, calls: 0, isRetired: false, closed: Promise.withResolvers() };
}

function isReplaceable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPlainObject(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}
