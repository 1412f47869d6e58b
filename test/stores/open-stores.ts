import { it, type TestContext } from 'node:test';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { declaredAt, placeOfCaller } from '../support/declared-place.ts';

/** Returns empty stores, closed after the test. */
export type OpenStores = (t: Pick<TestContext, 'after'>) => Promise<DatabaseStores>;

/** Declares a test with stores of its own. */
export type StoreTest = (name: string, work: (stores: DatabaseStores) => Promise<void>) => void;

/** @param prepare adds records to the empty stores of each test */
export function testsOn(openStores: OpenStores, prepare?: (stores: DatabaseStores) => Promise<unknown>): StoreTest {
  return (name, work) => {
    const place = placeOfCaller();
    void it(name, (t) =>
      declaredAt(place, async () => {
        const stores = await openStores(t);
        await prepare?.(stores);
        await work(stores);
      }),
    );
  };
}
