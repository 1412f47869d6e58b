import type { OperationId } from '../endpoints.ts';
import type { AnswerOf, BodyOf, OperationDescription, ParametersOf } from './format.ts';
import { ACCOUNT_OPERATIONS } from './operations/account.ts';
import { ADMIN_OPERATIONS } from './operations/administration.ts';
import { EVENT_OPERATIONS } from './operations/events.ts';
import { PET_CHANGE_OPERATIONS } from './operations/pet-changes.ts';
import { DOCUMENT_OPERATIONS } from './operations/documents.ts';
import { FINDING_OPERATIONS } from './operations/finding.ts';
import { PET_OPERATIONS } from './operations/pets.ts';
import { PICTURE_OPERATIONS } from './operations/pictures.ts';
import { WEBHOOK_OPERATIONS } from './operations/webhooks.ts';
import { USER_OPERATIONS } from './operations/users.ts';

/** What there is to say of every operation; the compiler asks for each. */
export const DESCRIPTIONS = {
  ...PET_OPERATIONS,
  ...PET_CHANGE_OPERATIONS,
  ...FINDING_OPERATIONS,
  ...USER_OPERATIONS,
  ...PICTURE_OPERATIONS,
  ...EVENT_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...ADMIN_OPERATIONS,
} as const satisfies Record<OperationId, OperationDescription>;

type Descriptions = typeof DESCRIPTIONS;

/** What each operation answers in JSON when it succeeds. */
export type Answers = { [Id in OperationId]: AnswerOf<Descriptions[Id], 'application/json'> };

/** What each line is, of the operations that answer line by line. */
export type AnswerLines = { [Id in OperationId]: AnswerOf<Descriptions[Id], 'application/x-ndjson'> };

/** What each operation takes in JSON. */
export type Bodies = { [Id in OperationId]: BodyOf<Descriptions[Id], 'application/json'> };

/** What each operation has in its path. */
export type PathParameters = { [Id in OperationId]: ParametersOf<Descriptions[Id], 'path'> };

/** What can be asked of each operation in its query. */
export type Queries = { [Id in OperationId]: ParametersOf<Descriptions[Id], 'query'> };
