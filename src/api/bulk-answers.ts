import type { Failure } from '../domain/failure.ts';
import { FAILURE_STATUS, unexpectedSentence } from './answers.ts';

/*
 * What is answered to the lines of a bulk request: a line for each.
 */

/** @param version of a pet that is there now */
export function bulkDoneText(line: number, id: bigint, version: bigint | undefined): string {
  const etag = version === undefined ? '' : `,"etag":"\\"${version}\\""`;
  return `{"line":${line},"status":200,"id":${id}${etag}}\n`;
}

export function bulkFailedText(line: number, { code, message, details }: Failure): string {
  return `${JSON.stringify({ line, status: FAILURE_STATUS[code], message, errors: details.problems })}\n`;
}

export function bulkUnexpectedText(line: number, requestId: string): string {
  return `${JSON.stringify({ line, status: 500, message: unexpectedSentence(requestId) })}\n`;
}
