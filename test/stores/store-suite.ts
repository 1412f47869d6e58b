import { describe, type TestContext } from 'node:test';
import type { BatchedStores } from '../../src/batching/gathered-stores.ts';
import { describeGathering } from './gathering-suite.ts';
import { describePetIds, describePetStore } from './pet-store-suite.ts';
import { describePhotoIndex } from './photo-index-suite.ts';
import { describeSessionStore } from './session-store-suite.ts';
import { describeUserStore } from './user-store-suite.ts';

/** Gives empty stores, which end with the test. */
export type OpenStores = (t: Pick<TestContext, 'after'>) => Promise<BatchedStores>;

/** The promises of the ports of src/domain/, through nothing but the ports: any engine can be held to them. */
export function describeStores(engine: string, openStores: OpenStores): void {
  void describe(`stores on ${engine}`, () => {
    describePetStore(openStores);
    describePetIds(openStores);
    describeUserStore(openStores);
    describeSessionStore(openStores);
    describePhotoIndex(openStores);
    describeGathering(openStores);
  });
}
