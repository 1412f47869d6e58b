import { ApiResponse } from '../../../api/records/api-response.ts';
import { EnquiryForm, EnquirySettings, SentEnquirySettings } from './enquiry-form.ts';
import { Enquiry, EnquiryOverview, SentEnquiry, SentEnquiryEntry, SentEnquiryUpdate } from './enquiry.ts';
import { Erasure, SentErasure } from '../../../api/records/erasure.ts';
import { int64 } from '../../../api/records/fields.ts';
import { ENQUIRY_FILTER } from './filter.ts';
import * as Type from '../../../api/records/type.ts';
import { json, jsonBody, response, type OperationDescription } from '../../../api/documents/parts/format.ts';
import { EXPORT_FORMAT, IF_MATCH, PAGE, PET_ID } from '../../../api/documents/parts/parameters.ts';

const ONE = { group: 'enquiries', path: { enquiryId: int64('The ID of the enquiry.') } } as const;
const NO_ENQUIRY = 'Enquiry not found';
const ENQUIRY_CHANGED = 'The precondition failed: the enquiry has changed. Nothing was stored.';
const STORED = { ...json(Enquiry, 'The enquiry after the change.', 'ETag', 'Cache-Control'), name: 'ChangedEnquiry' };

export const ENQUIRY_OPERATIONS = {
  getEnquiryForm: {
    group: 'enquiries',
    summary: 'Get the enquiry form of a pet',
    description: 'Returns the questions of the shelter, and the token that an enquiry needs.',
    path: PET_ID,
    responses: { 200: json(EnquiryForm, 'The form.', 'Cache-Control') },
    failures: { 404: 'Pet not found, or not published' },
  },
  sendEnquiry: {
    group: 'enquiries',
    summary: 'Write to the shelter about a pet',
    description:
      'Stores the enquiry, which only the staff can read, and sends it to the shelter by e-mail. In secured access, the ' +
      'person gets a confirmation without the text. `website` must be empty.',
    path: PET_ID,
    body: jsonBody(SentEnquiry),
    responses: { 200: json(ApiResponse, 'The shelter has the enquiry.') },
    failures: {
      404: 'Pet not found, or not published',
      409: 'The shelter takes no enquiries about the pet, or the form was sent before',
      429: 'Too many enquiries of this network or with this e-mail address, or the form was sent too fast',
      503: 'Too many enquiries of all clients, or the database is unavailable',
    },
  },
  getEnquirySettings: {
    group: 'enquiries',
    summary: 'Get the settings of enquiries',
    description: 'Returns whether pets have the form, its questions, the recipient and the retention period.',
    responses: { 200: json(EnquirySettings, 'The settings.', 'ETag', 'Cache-Control') },
  },
  updateEnquirySettings: {
    group: 'enquiries',
    summary: 'Update the settings of enquiries',
    description: 'Replaces all settings. Fields that are absent or null get their defaults.',
    headers: IF_MATCH,
    body: jsonBody(SentEnquirySettings),
    responses: { 200: json(EnquirySettings, 'The settings after the change.', 'ETag', 'Cache-Control') },
    failures: { 412: 'The precondition failed: the settings have changed. Nothing was stored.' },
  },
  listEnquiries: {
    group: 'enquiries',
    summary: 'List enquiries',
    description: 'Returns matching enquiries, newest first, in pages.',
    query: { ...ENQUIRY_FILTER, ...PAGE },
    responses: { 200: json(Type.Array(Enquiry), 'The enquiries.', 'Link', 'Cache-Control') },
  },
  getEnquiryOverview: {
    group: 'enquiries',
    summary: 'Get the number of new enquiries, and the staff',
    description: 'Returns how many enquiries are new, and the users to whom an enquiry can be assigned.',
    responses: { 200: json(EnquiryOverview, 'The overview.', 'Cache-Control') },
  },
  exportEnquiries: {
    group: 'enquiries',
    summary: 'Export enquiries',
    description:
      'Streams matching enquiries with their notes and answers, newest first. In CSV, a cell that a spreadsheet would ' +
      'execute as a formula begins with an apostrophe. The audit log gets an entry.',
    query: {
      ...EXPORT_FORMAT,
      ...ENQUIRY_FILTER,
    },
    responses: {
      200: response(
        { 'application/x-ndjson': Enquiry, 'text/csv': Type.String() },
        'The enquiries.',
        'Content-Disposition',
        'Cache-Control',
      ),
    },
  },
  getEnquiry: {
    ...ONE,
    summary: 'Get an enquiry',
    description: 'Returns it with the notes and answers of the staff.',
    responses: { 200: json(Enquiry, 'The enquiry.', 'ETag', 'Cache-Control') },
    failures: { 404: NO_ENQUIRY },
  },
  updateEnquiry: {
    ...ONE,
    summary: 'Update an enquiry',
    description: 'Sets the state or the assignee. With null, the enquiry has no assignee.',
    headers: IF_MATCH,
    body: { content: { 'application/merge-patch+json': SentEnquiryUpdate } },
    responses: { 200: STORED },
    failures: { 404: NO_ENQUIRY, 412: ENQUIRY_CHANGED },
  },
  addEnquiryNote: {
    ...ONE,
    summary: 'Add a note to an enquiry',
    description: 'Only the staff sees it.',
    body: jsonBody(SentEnquiryEntry),
    responses: { 200: STORED },
    failures: { 404: NO_ENQUIRY, 409: 'The enquiry has too many entries' },
  },
  answerEnquiry: {
    ...ONE,
    summary: 'Answer an enquiry by e-mail',
    description: 'Sends the text to the person, keeps it with the enquiry, and sets the state to `answered`.',
    body: jsonBody(SentEnquiryEntry),
    responses: { 200: STORED },
    failures: { 404: NO_ENQUIRY, 409: 'The service sends no e-mail, or the enquiry has too many entries' },
  },
  deleteEnquiry: {
    ...ONE,
    summary: 'Delete an enquiry',
    description: 'Deletes it with its notes, answers, and messages that wait to be sent.',
    headers: IF_MATCH,
    responses: { 200: json(ApiResponse, 'The enquiry is deleted. The message is its ID.', 'Cache-Control') },
    failures: { 404: NO_ENQUIRY, 412: ENQUIRY_CHANGED },
  },
  eraseEnquiries: {
    group: 'enquiries',
    summary: 'Erase the enquiries of a person',
    description:
      'Deletes all enquiries with this e-mail address, whatever its case. Backups have them until they expire.',
    body: jsonBody(SentErasure),
    responses: { 200: json(Erasure, 'The enquiries are deleted.', 'Cache-Control') },
  },
} as const satisfies Record<string, OperationDescription>;
