import {
  MAX_RECORDED_BODY_BYTES,
  type RecordedMessage as DomainMessage,
  type RecordedRequest as DomainRequest,
  type RecordedResponse as DomainResponse,
} from '../../../domain/playgrounds/recorded-request.ts';
import { count, exactly, orNull, textOrNull, time, timeText } from '../fields.ts';
import { recordText } from '../record-text.ts';
import * as Type from '../type.ts';

/* Recorded requests of playgrounds. */

const MESSAGE = {
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }, exactly('RecordedHeader')), {
    description: 'As they were sent, with secrets masked.',
  }),
  body: textOrNull(`The first ${MAX_RECORDED_BODY_BYTES} bytes; null if there are none, or if they are no text.`),
  bodyBytes: count('The length of the whole body.'),
  isTruncated: Type.Boolean({ description: 'Whether `body` is only the beginning.' }),
};

const RecordedMessage = Type.Object(MESSAGE, exactly('RecordedMessage'));
type RecordedMessage = Type.Static<typeof RecordedMessage>;

const RecordedResponse = Type.Object(
  {
    ...MESSAGE,
    statusText: Type.String(),
    isComplete: Type.Boolean({ description: 'False if the connection ended within the body.' }),
  },
  exactly('RecordedResponse'),
);
type RecordedResponse = Type.Static<typeof RecordedResponse>;

export const RecordedRequest = Type.Object(
  {
    number: count('Increases with each request of the playground.'),
    operation: textOrNull('The operation, also of a tool that an agent called; null for other paths.'),
    method: Type.String(),
    path: Type.String({ description: 'With the query, below the URL of the playground, such as `/v2/pet/1`.' }),
    status: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'Null if there was no response.' }),
    startedAt: time('The time when the headers of the request arrived.'),
    durationMs: Type.Unsafe<number>({ type: 'number', description: 'The time until the end of the response.' }),
    httpVersion: Type.String(),
    request: RecordedMessage,
    response: orNull(RecordedResponse, 'Null if the connection ended before it.'),
  },
  exactly('RecordedRequest'),
);
export type RecordedRequest = Type.Static<typeof RecordedRequest>;

export function recordedRequestText(recorded: DomainRequest): string {
  return recordText<RecordedRequest>(recordedRequest(recorded));
}

export function recordedRequest(recorded: DomainRequest): RecordedRequest {
  const { id: number, operation, method, path, httpVersion, startedAtMs, durationMs, request, response } = recorded;
  return {
    number,
    operation: operation ?? null,
    method,
    path,
    status: response?.status ?? null,
    startedAt: timeText(startedAtMs),
    durationMs,
    httpVersion,
    request: messageOf(request),
    response: response === undefined ? null : responseOf(response),
  };
}

function messageOf({ headers, body, bodyBytes, isTruncated }: DomainMessage): RecordedMessage {
  return { headers: [...headers], body: body ?? null, bodyBytes, isTruncated };
}

function responseOf(response: DomainResponse): RecordedResponse {
  const { statusText, isComplete } = response;
  return { ...messageOf(response), statusText, isComplete };
}
