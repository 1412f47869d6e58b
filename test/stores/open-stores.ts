import { it, type TestContext } from 'node:test';
import type { DatabaseStores } from '../../src/domain/stores/stores.ts';

/** Returns empty stores, closed after the test. */
export type OpenStores = (t: Pick<TestContext, 'after'>) => Promise<DatabaseStores>;

/** Declares a test with stores of its own. */
export type StoreTest = (name: string, work: (stores: DatabaseStores) => Promise<void>) => void;

/** @param prepare adds records to the empty stores of each test */
export function testsOn(openStores: OpenStores, prepare?: (stores: DatabaseStores) => Promise<unknown>): StoreTest {
  return (name, work) =>
    void it(name, async (t) => {
      const stores = await openStores(t);
      await prepare?.(stores);
      await work(stores);
    });
}
