import type { OperationId } from '../endpoints.ts';
import type { ResponseOf, OperationDescription } from './parts/format.ts';
import { ACCOUNT_OPERATIONS } from './operations/account.ts';
import { ADMIN_OPERATIONS } from './operations/administration.ts';
import { EXPORT_OPERATIONS } from './operations/exports.ts';
import { BACKUP_OPERATIONS } from './operations/backups.ts';
import { EVENT_OPERATIONS } from './operations/events.ts';
import { OAUTH_OPERATIONS } from './operations/oauth.ts';
import { PET_CHANGE_OPERATIONS } from './operations/pet-changes.ts';
import { DOCUMENT_OPERATIONS } from './operations/documents.ts';
import { PET_OPERATIONS } from './operations/pets.ts';
import { ORGANISATION_OPERATIONS } from './operations/organisation.ts';
import { PHOTO_OPERATIONS } from './operations/photos.ts';
import { PLAYGROUND_OPERATIONS } from './operations/playgrounds.ts';
import { PROFILE_OPERATIONS } from './operations/profiles.ts';
import { FEATURE_OPERATIONS } from '../../features/documents.ts';
import { SEARCH_OPERATIONS } from './operations/search.ts';
import { SETTINGS_OPERATIONS } from './operations/settings.ts';
import { SIGN_IN_OPERATIONS } from './operations/sign-in.ts';
import { USER_OPERATIONS } from './operations/users.ts';

export const DESCRIPTIONS = {
  ...PET_OPERATIONS,
  ...PET_CHANGE_OPERATIONS,
  ...PROFILE_OPERATIONS,
  ...SEARCH_OPERATIONS,
  ...USER_OPERATIONS,
  ...PHOTO_OPERATIONS,
  ...EXPORT_OPERATIONS,
  ...EVENT_OPERATIONS,
  ...ORGANISATION_OPERATIONS,
  ...PLAYGROUND_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...SIGN_IN_OPERATIONS,
  ...OAUTH_OPERATIONS,
  ...ADMIN_OPERATIONS,
  ...BACKUP_OPERATIONS,
  ...SETTINGS_OPERATIONS,
  ...FEATURE_OPERATIONS,
} as const satisfies Record<OperationId, OperationDescription>;

type Descriptions = typeof DESCRIPTIONS;

/** The successful JSON response of each operation. */
export type Responses = { [Id in OperationId]: ResponseOf<Descriptions[Id], 'application/json'> };

/** A line of the response, of operations that respond with NDJSON. */
export type ResponseLines = { [Id in OperationId]: ResponseOf<Descriptions[Id], 'application/x-ndjson'> };
