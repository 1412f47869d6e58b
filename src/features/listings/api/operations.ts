import { SITE_IDS, type SiteId } from '../domain/listing-site.ts';
import { ApiResponse } from '../../../api/records/api-response.ts';
import { ListingFeed } from './listing-feed.ts';
import { CreatedFeedKey, Listing, ListingPet, SentListedPet, SentListing } from './listing.ts';
import * as Type from '../../../api/records/type.ts';
import { json, jsonBody, response, type OperationDescription } from '../../../api/documents/parts/format.ts';
import { PAGE, PET_ID } from '../../../api/documents/parts/parameters.ts';

const SITE = {
  site: Type.Unsafe<SiteId>({ type: 'string', enum: [...SITE_IDS], description: '`open`: JSON for any reader.' }),
};
const ONE = { group: 'listings', path: SITE } as const;
const NO_SITE = 'Unknown site';

/** Feeds of pets for listing sites, and their administration. */
export const LISTING_OPERATIONS = {
  getListingFeed: {
    group: 'listings',
    summary: 'Get a file of a listing site',
    description:
      'Streams the pets that look for a home as the site reads them: published, `available` or `pending`, not kept ' +
      'out by the staff, and not refused by the site. An adopted, unpublished or deleted pet is missing immediately. ' +
      'Without pets, or if the site is switched off, the file is empty.',
    path: {
      ...SITE,
      file: Type.String({ description: '`pets.csv`; `import.cfg` of `adoptapet`; `pets.json` of `open`.' }),
    },
    query: { key: Type.String({ minLength: 1, description: 'The key of the feed.' }) },
    responses: {
      200: response(
        { 'text/csv': Type.String(), 'text/plain': Type.String(), 'application/json': ListingFeed },
        'The file.',
        'Content-Disposition',
        'Cache-Control',
      ),
    },
    failures: { 401: 'Missing, wrong or revoked key', 404: 'Unknown site or file' },
  },
  listListings: {
    group: 'listings',
    summary: 'List listing sites',
    description: 'Returns all sites, also those that are off.',
    responses: { 200: json(Type.Array(Listing), 'The sites, without their keys.', 'Cache-Control') },
  },
  updateListing: {
    ...ONE,
    summary: 'Switch a listing site on or off',
    description: 'A site that is off gets an empty file, so that no pet stays listed.',
    body: jsonBody(SentListing),
    responses: { 200: json(Listing, 'The site after the change.', 'Cache-Control') },
    failures: { 404: NO_SITE },
  },
  uploadListing: {
    ...ONE,
    summary: 'Upload the files of a site now',
    description:
      'Within a few seconds, also without a change, and without waiting for the next attempt after a failure.',
    responses: { 200: json(Listing, 'The site, whose upload is pending.', 'Cache-Control') },
    failures: { 404: NO_SITE, 409: 'The site gets no uploads' },
  },
  createFeedKey: {
    ...ONE,
    summary: 'Create the key of a feed',
    description: 'Replaces the last key, which is no longer valid.',
    responses: { 200: json(CreatedFeedKey, 'The key, which is shown only once.', 'Cache-Control') },
    failures: { 404: NO_SITE },
  },
  revokeFeedKey: {
    ...ONE,
    summary: 'Revoke the key of a feed',
    description:
      'The files of the site respond with 401 from then on. The site then keeps the last one that it has read.',
    responses: { 200: json(ApiResponse, 'Success. The message is the site.', 'Cache-Control') },
    failures: { 404: NO_SITE },
  },
  listListingPets: {
    ...ONE,
    summary: 'List pets with what a site refuses',
    description:
      'Returns the pets that are public and not adopted, with the fields of the profile without which sites refuse ' +
      'pets. A page may have fewer pets than its limit.',
    query: PAGE,
    responses: { 200: json(Type.Array(ListingPet), 'The pets.', 'Link', 'Cache-Control') },
    failures: { 404: NO_SITE },
  },
  updateListingPet: {
    ...ONE,
    summary: 'Keep a pet out of a listing site',
    description: 'Takes the pet out of the files of the site, or lets it in again.',
    path: { ...SITE, ...PET_ID },
    body: jsonBody(SentListedPet),
    responses: { 200: json(ApiResponse, 'Success. The message is the ID of the pet.', 'Cache-Control') },
    failures: { 404: 'Unknown site or pet', 409: 'Too many pets are kept out already' },
  },
} as const satisfies Record<string, OperationDescription>;
