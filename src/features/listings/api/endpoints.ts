import { endpoint, OF_ADMIN, STREAMS } from '../../../api/endpoint.ts';

export const LISTING_ENDPOINTS = {
  // The key is in the query: listing sites can be given only a URL.
  getListingFeed: endpoint('GET', 'feeds/{site}/{file}', 'none', {
    ...STREAMS,
    response: 'file',
    identifiesActor: false,
    isPrivate: true,
  }),
  listListings: endpoint('GET', 'admin/listings', 'none', OF_ADMIN),
  updateListing: endpoint('PATCH', 'admin/listings/{site}', 'json', OF_ADMIN),
  uploadListing: endpoint('POST', 'admin/listings/{site}/upload', 'none', OF_ADMIN),
  createFeedKey: endpoint('POST', 'admin/listings/{site}/key', 'none', OF_ADMIN),
  revokeFeedKey: endpoint('DELETE', 'admin/listings/{site}/key', 'none', OF_ADMIN),
  listListingPets: endpoint('GET', 'admin/listings/{site}/pets', 'none', OF_ADMIN),
  updateListingPet: endpoint('PUT', 'admin/listings/{site}/pets/{petId}', 'json', OF_ADMIN),
} as const;
