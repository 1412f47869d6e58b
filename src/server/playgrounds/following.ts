import { AsyncLocalStorage } from 'node:async_hooks';

type AnyFunction = (...parameters: readonly unknown[]) => unknown;

type AnyObject = Readonly<Record<PropertyKey, unknown>>;

/**
 * The parts of several services behind the same objects: a call goes to the service of the current asynchronous
 * context. Outside of a context, it throws, so that no part is ever used for another service.
 */
export class Following<Parts extends object> {
  /**
   * Has the shape of the first service. Its functions and methods are called on the current one; plain objects are
   * settings, which all have in common.
   */
  readonly parts: Parts;
  readonly #current = new AsyncLocalStorage<Parts>();

  constructor(first: Parts) {
    const followed = Object.entries(first).map(([name, part]: [string, unknown]) => [name, this.#follow(name, part)]);
    this.parts = Object.fromEntries(followed) as Parts;
  }

  /** Runs the work in the context of a service. */
  run(parts: Parts, work: () => void): void {
    this.#current.run(parts, work);
  }

  #read(name: string): unknown {
    const current = this.#current.getStore();
    if (current === undefined) throw new Error(`${name}: there is no playground in this asynchronous context.`);
    return (current as AnyObject)[name];
  }

  #follow(name: string, first: unknown): unknown {
    if (typeof first === 'function')
      return (...parameters: readonly unknown[]) => (this.#read(name) as AnyFunction)(...parameters);
    if (typeof first !== 'object' || first === null || Object.getPrototypeOf(first) === Object.prototype) return first;
    return this.#followInstance(name);
  }

  #followInstance(name: string): object {
    const methods = new Map<PropertyKey, AnyFunction>();
    const get = (_target: object, key: PropertyKey): unknown => {
      const known = methods.get(key);
      if (known !== undefined) return known;
      const value = (this.#read(name) as AnyObject)[key];
      if (typeof value !== 'function') return value;
      const method: AnyFunction = (...parameters) => {
        const instance = this.#read(name) as Record<PropertyKey, AnyFunction>;
        return instance[key]?.(...parameters);
      };
      methods.set(key, method);
      return method;
    };
    return new Proxy({}, { get });
  }
}
