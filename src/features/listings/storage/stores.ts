import { store } from '../../../storage/rows/stores/store-entry.ts';
import type { ListingStore } from '../domain/ports.ts';
import { SqlListingStore, applyListingChange } from './listing-store.ts';

export const LISTING_STORES = {
  listings: store((deps): ListingStore => new SqlListingStore(deps), applyListingChange),
};
