import type { ServerResponse } from 'node:http';
import type { FaultKind } from '../../../../domain/playgrounds/faults.ts';
import type { ChosenFaults } from './chosen-faults.ts';

/** Makes a fault of an answer that is sent completely. Its header names the fault, unless the answer cannot have it. */
export function changeAnswerBy(kind: FaultKind, response: ServerResponse, body: Buffer, faults: ChosenFaults): Buffer {
  if (body.byteLength === 0) return body;
  if (kind === 'malformed-json' && !isJson(response)) return body;
  faults.announce(kind);
  // The tag is that of the right answer: no cache may keep this one under it.
  response.removeHeader('etag');
  response.removeHeader('last-modified');
  response.setHeader('cache-control', 'no-store');
  if (kind === 'malformed-json') return body.subarray(0, -1);
  // A type that browsers never interpret, together with `nosniff`.
  if (kind === 'wrong-content-type') response.setHeader('content-type', 'text/plain');
  return body;
}

function isJson(response: ServerResponse): boolean {
  return /^application\/(?:[\w.-]+\+)?json/.test(String(response.getHeader('content-type')));
}
