import { Failure } from '../../domain/failure.ts';
import type { PetChange } from '../../domain/pets/pet-change.ts';
import type { PlaygroundLimits } from '../../domain/playgrounds/playground.ts';
import type { MemoryStores } from '../stores/memory-stores.ts';

interface LimitedStoresOptions {
  /** Reserves memory for photos. @returns whether there is enough for all playgrounds */
  reserve: (bytes: number) => boolean;
  /** Called when there may be a new webhook. */
  onWebhook: () => void;
}

/** The same stores with limits, beyond which changes are refused. */
export function limitedStores(
  stores: MemoryStores,
  limits: PlaygroundLimits,
  { reserve, onWebhook }: LimitedStoresOptions,
): MemoryStores {
  const { pets, photoStore, webhooks } = stores;
  let photoBytes = photoStore.byteLength();

  function countBytes({ byteLength }: Uint8Array): void {
    if (photoBytes + byteLength > limits.photoBytes)
      throw full(`This playground can have photos of at most ${limits.photoBytes} bytes.`);
    if (!reserve(byteLength)) throw full('The playgrounds of this service have no memory left.');
    photoBytes += byteLength;
  }

  return {
    ...stores,
    pets: withMethods(pets, {
      async apply(change) {
        if ((await addsPet(change, stores)) && stores.countPets() >= limits.pets)
          throw full(`This playground can have at most ${limits.pets} pets.`);
        return pets.apply(change);
      },
    }),
    webhooks: withMethods(webhooks, {
      async apply(change) {
        if (change.kind === 'create' && (await webhooks.list()).length >= limits.webhooks)
          throw new Failure('conflict', `This playground can have at most ${limits.webhooks} webhooks.`);
        const changed = await webhooks.apply(change);
        if (change.kind === 'create') onWebhook();
        return changed;
      },
    }),
    photoStore: {
      ...photoStore,
      async put(digest, bytes) {
        if ((await photoStore.read(digest)) === undefined) countBytes(bytes);
        await photoStore.put(digest, bytes);
      },
      async putSize(digest, size, bytes) {
        countBytes(bytes);
        await photoStore.putSize(digest, size, bytes);
      },
    },
  };
}

async function addsPet(change: PetChange, { pets }: MemoryStores): Promise<boolean> {
  if (change.kind !== 'put' && change.kind !== 'restore') return false;
  return change.id === undefined || (await pets.find(change.id)) === undefined;
}

function full(message: string): Failure {
  return new Failure('insufficient-storage', message);
}

/** An object with other methods, and those of the original. */
function withMethods<T extends object>(original: T, methods: Partial<T>): T {
  const bound = new Map<PropertyKey, unknown>(Object.entries(methods));
  return new Proxy(original, {
    get(target, key) {
      const known = bound.get(key);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      const method: unknown = value.bind(target);
      bound.set(key, method);
      return method;
    },
  });
}
