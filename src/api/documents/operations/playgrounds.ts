import {
  CreatedPlayground,
  Playground,
  PlaygroundSnapshot,
  SentPlayground,
} from '../../records/playgrounds/playground.ts';
import { PlaygroundBugs, SentPlaygroundBugs } from '../../records/playgrounds/bugs.ts';
import { PlaygroundFaults, SentPlaygroundFaults } from '../../records/playgrounds/faults.ts';
import { RecordedRequest } from '../../records/playgrounds/recorded-request.ts';
import { ApiResponse } from '../../records/api-response.ts';
import * as Type from '../../records/type.ts';
import { json, jsonBody, response, type OperationDescription } from '../parts/format.ts';

const ONE = {
  group: 'playgrounds',
  path: { token: Type.String({ minLength: 1, description: 'The token of the playground.' }) },
} as const;
const NOT_FOUND = 'Playground not found, or expired';
const NOT_RECORDED = 'The playground does not record requests';
export const RECORDED_FILTER = {
  operation: Type.Optional(Type.String({ description: 'The ID of an operation, such as `addPet`.' })),
  method: Type.Optional(Type.String({ description: 'The method.' })),
  status: Type.Optional(
    Type.Unsafe<string | number>({ type: 'string', description: 'A status such as 404, or a class such as `4xx`.' }),
  ),
  path: Type.Optional(
    Type.String({
      description: 'A path below the base URL, such as `/pet/1` or `/pet/*`; without a query, it matches all.',
    }),
  ),
  bodyText: Type.Optional(Type.String({ description: 'A text in the body of the request or of the response.' })),
  after: Type.Optional(Type.Unsafe<number>({ type: 'integer', description: 'Only requests with a higher ID.' })),
};
const MEMORY = {
  503: 'The playgrounds of this service have no memory left',
  507: 'This playground, or those from its address, have no memory left',
};
const FAULTS = json(PlaygroundFaults, 'The rules.', 'Cache-Control');
const BUGS = json(PlaygroundBugs, 'The bugs.', 'Cache-Control');
const STATE = json(Playground, 'The playground.', 'Cache-Control');

export const PLAYGROUND_OPERATIONS = {
  createPlayground: {
    group: 'playgrounds',
    summary: 'Create a playground',
    description:
      'Creates a service of its own in memory, with all operations below its own base URL. A client only changes its ' +
      'base URL.',
    body: { content: { 'application/json': SentPlayground }, isOptional: true },
    responses: { 200: json(CreatedPlayground, 'The playground, with the passwords of its users.', 'Cache-Control') },
    failures: {
      403: 'Not allowed, or this service has no playgrounds',
      404: 'Snapshot not found',
      429: 'Too many playgrounds from this address',
      503: 'Too many playgrounds, or they have no memory left',
      507: 'The playgrounds from this address have no memory left',
    },
  },
  listPlaygrounds: {
    group: 'playgrounds',
    summary: 'List playgrounds',
    description: 'Returns all playgrounds, oldest first.',
    responses: { 200: json(Type.Array(Playground), 'The playgrounds.', 'Cache-Control') },
  },
  getPlayground: {
    ...ONE,
    summary: 'Get a playground',
    description: 'Its address, limits and end.',
    responses: { 200: STATE },
    failures: { 404: NOT_FOUND },
  },
  deletePlayground: {
    ...ONE,
    summary: 'Delete a playground',
    description: 'Its data, sessions and streams end.',
    responses: { 200: json(ApiResponse, 'Success. The message is the token.', 'Cache-Control') },
    failures: { 404: NOT_FOUND },
  },
  resetPlayground: {
    ...ONE,
    summary: 'Reset a playground',
    description: 'Restores its first contents, users and IDs, after its pending requests. Snapshots stay.',
    responses: { 200: STATE },
    failures: { 404: NOT_FOUND, ...MEMORY },
  },
  takePlaygroundSnapshot: {
    ...ONE,
    summary: 'Take a snapshot of a playground',
    description: 'It has all data. The playground can be restored to it.',
    responses: { 200: json(PlaygroundSnapshot, 'The snapshot.', 'Cache-Control') },
    failures: { 404: NOT_FOUND, 409: 'The maximum number of snapshots is reached', ...MEMORY },
  },
  restorePlaygroundSnapshot: {
    ...ONE,
    summary: 'Restore a snapshot of a playground',
    description: 'Restores all data as it was, after the pending requests.',
    path: { ...ONE.path, snapshot: Type.String({ minLength: 1, description: 'The ID of the snapshot.' }) },
    responses: { 200: STATE },
    failures: { 404: 'Playground or snapshot not found', ...MEMORY },
  },
  listPlaygroundRequests: {
    ...ONE,
    summary: 'List the recorded requests of a playground',
    description:
      'The last 1,000 requests of its API, and calls of tools by agents, with their responses, oldest first, as clients ' +
      'saw them. Secrets are masked. ' +
      'A response that is still being sent is not in it.',
    query: RECORDED_FILTER,
    responses: {
      200: response(
        { 'application/json': Type.Array(RecordedRequest), 'application/x-ndjson': RecordedRequest },
        'The requests.',
        'Cache-Control',
      ),
    },
    failures: { 404: NOT_FOUND, 409: NOT_RECORDED },
  },
  exportPlaygroundRequests: {
    ...ONE,
    summary: 'Export the recorded requests of a playground',
    description: 'The same requests as an HTTP Archive (HAR 1.2), for browsers and other tools.',
    query: RECORDED_FILTER,
    responses: {
      200: json(
        Type.Record(Type.String(), Type.Unsafe<unknown>({}), { description: 'An HTTP Archive.' }),
        'The archive.',
        'Content-Disposition',
        'Cache-Control',
      ),
    },
    failures: { 404: NOT_FOUND, 409: NOT_RECORDED },
  },
  deletePlaygroundRequests: {
    ...ONE,
    summary: 'Delete the recorded requests of a playground',
    description: 'Later requests are recorded again.',
    responses: { 200: json(ApiResponse, 'Success. The message is the token.', 'Cache-Control') },
    failures: { 404: NOT_FOUND, 409: NOT_RECORDED },
  },
  getPlaygroundFaults: {
    ...ONE,
    summary: 'List the faults of a playground',
    description: 'Returns its rules for faults, with the numbers of requests since they were set or it was reset.',
    responses: { 200: FAULTS },
    failures: { 404: NOT_FOUND },
  },
  setPlaygroundFaults: {
    ...ONE,
    summary: 'Set the faults of a playground',
    description:
      'Replaces all rules. Every latency that applies is added, and of the other faults the first one is made. The ' +
      'header `Menagerie-Fault` names it. Refusals are not executed; `cut-off` and `connection-reset` are.',
    body: jsonBody(SentPlaygroundFaults),
    responses: { 200: FAULTS },
    failures: { 404: NOT_FOUND },
  },
  getPlaygroundBugs: {
    ...ONE,
    summary: 'List the planted bugs of a playground',
    description: 'Returns all bugs that exist, which are on, and how often each was met, to grade a test suite.',
    query: {
      include: Type.Optional(
        Type.Unsafe<'description'>({ type: 'string', enum: ['description'], description: 'Also says what each does.' }),
      ),
    },
    responses: { 200: BUGS },
    failures: { 404: NOT_FOUND },
  },
  setPlaygroundBugs: {
    ...ONE,
    summary: 'Switch the planted bugs of a playground',
    description: 'Switches these on and all others off.',
    body: jsonBody(SentPlaygroundBugs),
    responses: { 200: BUGS },
    failures: { 404: NOT_FOUND },
  },
} as const satisfies Record<string, OperationDescription>;
