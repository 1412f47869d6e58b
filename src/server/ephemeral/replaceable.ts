/** Something that is used by way of `parts`, and can be replaced as a whole meanwhile. */
export interface Replaceable<T extends object> {
  /** As the first one is, part by part; each call goes to the newest. Parts that are no functions and no plain objects stay those of the first. */
  parts: T;
  /** From now on, calls go to this one. The one before is let go of when the last call on it has come to its end. */
  replace: (next: T) => void;
  /** Resolves when everything is let go of. */
  close: () => Promise<void>;
}

interface Generation<T> {
  parts: T;
  calls: number;
  isRetired: boolean;
  closed: PromiseWithResolvers<void>;
}

type AnyFunction = (...args: readonly unknown[]) => unknown;

/** @param letGo of one that nobody will call any more */
export function createReplaceable<T extends object>(first: T, letGo: (old: T) => Promise<void>): Replaceable<T> {
  let current = generation(first);
  const generations = new Set([current]);

  function closeIfUnused(one: Generation<T>): void {
    if (!one.isRetired || one.calls > 0) return;
    const forget = () => void generations.delete(one);
    letGo(one.parts).then(one.closed.resolve, one.closed.reject);
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

  /** @param read finds it in the newest */
  function follow(value: unknown, read: () => unknown): unknown {
    if (typeof value === 'function')
      return (...args: readonly unknown[]) => counted(() => (read() as AnyFunction)(...args));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, follow(part, () => (read() as Record<string, unknown>)[key])]),
    );
  }

  return {
    parts: follow(first, () => current.parts) as T,
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

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
