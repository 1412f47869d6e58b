import { ApiResponse } from '../../../api/records/api-response.ts';
import { Erasure, SentErasure } from '../../../api/records/erasure.ts';
import { SentToken } from '../../../api/records/account.ts';
import { SavedSearch, SentSavedSearch } from './saved-search.ts';
import * as Type from '../../../api/records/type.ts';
import type { Example } from '../../../api/documents/examples/example.ts';
import { json, jsonBody, type OperationDescription } from '../../../api/documents/parts/format.ts';

const OK = json(ApiResponse, 'Done.');
const NO_MAIL = 'The service sends no e-mail';

export const SAVED_SEARCH_OPERATIONS = {
  createSavedSearch: {
    group: 'saved-searches',
    summary: 'Save a search, to get new matches by e-mail',
    description:
      'Sends a link that confirms the search, in a day. Without it, nothing else is sent. The response is the same ' +
      'whatever is known of the address.',
    body: jsonBody(SentSavedSearch),
    responses: { 200: OK },
    failures: {
      400: 'Not an e-mail address, or an unknown filter',
      409: NO_MAIL,
      429: 'Too many requests of this network',
      503: 'Too many searches or requests of all clients, or the database is unavailable',
    },
  },
  confirmSavedSearch: {
    group: 'saved-searches',
    summary: 'Confirm a saved search, or keep it for another year',
    description: 'With the token of a link that was sent. Only pets that match from now on are sent.',
    body: jsonBody(SentToken),
    responses: { 200: json(SavedSearch, 'The search.', 'Cache-Control') },
    failures: { 400: 'The link is invalid or has expired', 409: NO_MAIL },
  },
  stopSavedSearch: {
    group: 'saved-searches',
    summary: 'Stop a saved search',
    description: 'The response is the same for an unknown token.',
    path: { token: Type.String({ description: 'The token of a link that was sent.' }) },
    responses: { 200: OK },
  },
  listSavedSearches: {
    group: 'saved-searches',
    summary: 'List the saved searches of an address',
    description: 'Lists confirmed and unconfirmed searches.',
    query: { email: Type.String({ minLength: 1, description: 'The address; case is ignored.' }) },
    responses: { 200: json(Type.Array(SavedSearch), 'The searches, the oldest first.', 'Cache-Control') },
  },
  eraseSavedSearches: {
    group: 'saved-searches',
    summary: 'Erase the saved searches of an address',
    description: 'Also deletes messages about them that were not sent yet. Backups have them until they expire.',
    body: jsonBody(SentErasure),
    responses: { 200: json(Erasure, 'The searches are deleted.', 'Cache-Control') },
  },
} as const satisfies Record<string, OperationDescription>;

export const SAVED_SEARCH_EXAMPLES = {
  listSavedSearches: { parameters: { email: 'ada@example.org' }, response: [] },
  eraseSavedSearches: { body: { email: 'ada@example.org' }, response: { erased: 0 } },
} as const satisfies Record<string, Example>;
