interface Generation<T> {
  parts: T;
  calls: number;
  isRetired: boolean;
  closed: PromiseWithResolvers<void>;
}

type Members = Readonly<Record<string | symbol, unknown>>;

type AnyFunction = (...args: readonly unknown[]) => unknown;

/** An object that can be replaced while it is in use. */
export class Replaceable<T extends object> {
  /** Has the members of the newest object, and of the objects in it. Functions that were taken from it earlier also call the newest. */
  readonly parts: T;
  readonly #dispose: (old: T) => Promise<void>;
  readonly #generations = new Set<Generation<T>>();
  #current: Generation<T>;

  /** @param dispose called once no call on an old object is pending */
  constructor(first: T, dispose: (old: T) => Promise<void>) {
    this.#dispose = dispose;
    this.#current = this.#add(first);
    this.parts = this.#follow(() => this.#current.parts) as T;
  }

  /** New calls go to the next object. */
  replace(next: T): void {
    const old = this.#current;
    this.#current = this.#add(next);
    this.#retire(old);
  }

  /** Resolves when all objects are disposed of. */
  async close(): Promise<void> {
    this.#retire(this.#current);
    await Promise.all([...this.#generations].map(({ closed }) => closed.promise));
  }

  #add(parts: T): Generation<T> {
    const added = { parts, calls: 0, isRetired: false, closed: Promise.withResolvers<void>() };
    this.#generations.add(added);
    return added;
  }

  #retire(generation: Generation<T>): void {
    generation.isRetired = true;
    this.#disposeIfUnused(generation);
  }

  #disposeIfUnused(generation: Generation<T>): void {
    if (!generation.isRetired || generation.calls > 0) return;
    const forget = () => void this.#generations.delete(generation);
    this.#dispose(generation.parts).then(generation.closed.resolve, generation.closed.reject);
    generation.closed.promise.then(forget, forget);
  }

  /** A proxy for the object that `read` returns at the time of each access. Its target is empty: invariants of a proxy would tie it to the first object. */
  #follow(read: () => object): object {
    const members = () => read() as Members;
    return new Proxy(
      {},
      {
        get: (_target, name) => {
          const value = members()[name];
          // As a method, because an object may be an instance of a class.
          if (typeof value === 'function')
            return (...args: readonly unknown[]) =>
              this.#count(() => (members() as Readonly<Record<string | symbol, AnyFunction>>)[name]?.(...args));
          return typeof value === 'object' && value !== null ? this.#follow(() => members()[name] as object) : value;
        },
        has: (_target, name) => name in read(),
        ownKeys: () => Reflect.ownKeys(read()),
        getOwnPropertyDescriptor: (_target, name) => {
          const descriptor = Reflect.getOwnPropertyDescriptor(read(), name);
          return descriptor && { ...descriptor, configurable: true };
        },
      },
    );
  }

  #count(call: () => unknown): unknown {
    const generation = this.#current;
    generation.calls++;
    const leave = () => {
      generation.calls--;
      this.#disposeIfUnused(generation);
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
