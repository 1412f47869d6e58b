import { Failure } from '../../domain/failure.ts';
import type { PetChange } from '../../domain/pets/pet-change.ts';
import type { PlaygroundLimits } from '../../domain/playgrounds/playground.ts';
import type { MemoryStores } from '../stores/memory-stores.ts';

/**
 * The same stores with limits, beyond which changes are refused.
 *
 * @param takePhoto takes memory for photos. Throws a Failure if there is not enough
 */
export function limitedStores(
  stores: MemoryStores,
  limits: PlaygroundLimits,
  takePhoto: (bytes: number) => void,
): MemoryStores {
  const { pets, photoStore } = stores;
  // Those in progress count as well: all pets of a bulk are checked before the first one is stored.
  let adding = 0;

  return {
    ...stores,
    pets: withMethods(pets, {
      async apply(change) {
        if (!(await addsPet(change, stores))) return pets.apply(change);
        if (stores.countPets() + adding >= limits.pets)
          throw full(`This playground can have at most ${limits.pets} pets.`);
        adding++;
        try {
          return await pets.apply(change);
        } finally {
          adding--;
        }
      },
    }),
    photoStore: {
      ...photoStore,
      async put(digest, bytes) {
        if ((await photoStore.read(digest)) === undefined) takePhoto(bytes.byteLength);
        await photoStore.put(digest, bytes);
      },
      async putSize(digest, size, bytes) {
        takePhoto(bytes.byteLength);
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
