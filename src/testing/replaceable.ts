interface Generation<T> {
  parts: T;
  calls: number;
  isRetired: boolean;
  released: PromiseWithResolvers<void>;
}

type AnyFunction = (...args: readonly unknown[]) => unknown;
type AnyObject = Record<PropertyKey, unknown>;

/** An object that is used through `parts` and can be replaced while it is in use. */
export class Replaceable<T extends object> {
  /**
   * Has the shape of the first object. Functions and methods are called on the newest one; other values and arrays
   * remain those of the first.
   */
  readonly parts: T;
  readonly #release: (old: T) => Promise<void>;
  readonly #generations = new Set<Generation<T>>();
  #current: Generation<T>;

  /** @param release called with each replaced object after its last pending call */
  constructor(first: T, release: (old: T) => Promise<void>) {
    this.#release = release;
    this.#current = this.#add(first);
    this.parts = this.#follow(first, () => this.#current.parts) as T;
  }

  /** Directs new calls to `next`. The previous object is released after its last pending call. */
  replace(next: T): void {
    const old = this.#current;
    this.#current = this.#add(next);
    this.#retire(old);
  }

  /** Resolves when all objects are released. */
  async close(): Promise<void> {
    this.#retire(this.#current);
    await Promise.all([...this.#generations].map(({ released }) => released.promise));
  }

  #add(parts: T): Generation<T> {
    const generation = { parts, calls: 0, isRetired: false, released: Promise.withResolvers<void>() };
    this.#generations.add(generation);
    return generation;
  }

  #retire(generation: Generation<T>): void {
    generation.isRetired = true;
    this.#releaseIfUnused(generation);
  }

  #releaseIfUnused(generation: Generation<T>): void {
    const { parts, calls, isRetired, released } = generation;
    if (!isRetired || calls > 0) return;
    const forget = () => void this.#generations.delete(generation);
    this.#release(parts).then(released.resolve, released.reject);
    released.promise.then(forget, forget);
  }

  /** @param read returns the counterpart of the value in the newest object */
  #follow(value: unknown, read: () => unknown): unknown {
    if (typeof value === 'function')
      return (...args: readonly unknown[]) => this.#counted(() => (read() as AnyFunction)(...args));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    if (Object.getPrototypeOf(value) !== Object.prototype) return this.#followInstance(value, read as () => AnyObject);
    const parts = Object.entries(value).map(([key, part]) => [
      key,
      this.#follow(part, () => (read() as AnyObject)[key]),
    ]);
    return Object.fromEntries(parts);
  }

  /** Calls methods with the newest instance as `this`: a proxy does not have its private fields. */
  #followInstance(first: object, read: () => AnyObject): unknown {
    const get = (_: object, key: PropertyKey): unknown => {
      const value = read()[key];
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) =>
        this.#counted(() => {
          const instance = read();
          return Reflect.apply(instance[key] as AnyFunction, instance, args);
        });
    };
    return new Proxy(first, { get });
  }

  #counted(call: () => unknown): unknown {
    const generation = this.#current;
    generation.calls++;
    const leave = () => {
      generation.calls--;
      this.#releaseIfUnused(generation);
    };
    try {
      const result = call();
      if (result instanceof Promise) return result.finally(leave);
      leave();
      return result;
    } catch (error) {
      leave();
      throw error;
    }
  }
}
