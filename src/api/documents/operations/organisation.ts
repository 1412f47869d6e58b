import { Organisation, SentLogo, SentOrganisation } from '../../records/organisation/organisation.ts';
import { OwnFields, SentOwnFields } from '../../records/organisation/own-field.ts';
import { json, jsonBody, NOT_MODIFIED, type OperationDescription } from '../parts/format.ts';
import { IF_MATCH, IF_NONE_MATCH } from '../parts/parameters.ts';

const CHANGED = { ...json(Organisation, 'The organisation after the change.', 'ETag'), name: 'ChangedOrganisation' };
const RECORD_CHANGED = 'The precondition failed: the record has changed. Nothing was stored.';

/** The organisation and its own profile fields. */
export const ORGANISATION_OPERATIONS = {
  getOrganisation: {
    group: 'organisation',
    summary: 'Get the organisation',
    description: 'Returns what the organisation says about itself. Fields that no administrator has set are absent.',
    headers: IF_NONE_MATCH,
    responses: { 200: json(Organisation, 'The organisation.', 'ETag'), 304: NOT_MODIFIED },
  },
  updateOrganisation: {
    group: 'organisation',
    summary: 'Update the organisation',
    description:
      'Replaces everything but the logo, which is ignored. Fields that are absent, null or empty are deleted.',
    headers: IF_MATCH,
    body: jsonBody(SentOrganisation),
    responses: { 200: CHANGED },
    failures: { 412: RECORD_CHANGED },
  },
  updateLogo: {
    group: 'organisation',
    summary: 'Set the logo',
    description: 'Takes the formats and sizes of photos of pets. Transparency is kept.',
    headers: IF_MATCH,
    body: { content: { 'multipart/form-data': SentLogo } },
    responses: { 200: CHANGED },
    failures: { 412: RECORD_CHANGED, 507: 'The storage is full' },
  },
  deleteLogo: {
    group: 'organisation',
    summary: 'Delete the logo',
    description: 'The file is deleted after nothing has used it for some time.',
    headers: IF_MATCH,
    responses: { 200: CHANGED },
    failures: { 404: 'The organisation has no logo', 412: RECORD_CHANGED },
  },
  getOwnFields: {
    group: 'organisation',
    summary: 'Get the own profile fields',
    description: 'Returns the definitions. Those that are not public are only for users who may change pets.',
    responses: { 200: json(OwnFields, 'The definitions.', 'ETag', 'Cache-Control') },
  },
  updateOwnFields: {
    group: 'organisation',
    summary: 'Update the own profile fields',
    description: 'Replaces all definitions. Values in profiles stay as they are.',
    headers: IF_MATCH,
    body: jsonBody(SentOwnFields),
    responses: { 200: json(OwnFields, 'The definitions after the change.', 'ETag', 'Cache-Control') },
    failures: { 412: RECORD_CHANGED },
  },
} as const satisfies Record<string, OperationDescription>;
