import { DatabaseError } from 'pg';
import { Failure } from '../../../domain/failure.ts';

/*
 * The meaning of the errors of the driver and the server. Codes:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */

/**
 * Two transactions conflicted (serialization_failure, deadlock_detected): the one that was ended is repeated as a
 * whole.
 */
const AGAIN = new Set(['40001', '40P01']);

/**
 * The connection is useless: 08 connection exceptions, 57P01 to 57P05 the server shuts down or the session was ended,
 * 25006 the server has become a standby, 25P03 and 25P04 timeouts of an idle or a long transaction.
 */
const LOST = /^(?:08...|57P0[1-5]|25006|25P0[34])$/;

/**
 * The server fails temporarily: 53 insufficient resources, 57014 statement timeout, 55P03 lock timeout, 58 and XX001
 * disk errors; 28 and 3D authentication.
 */
const UNABLE = /^(?:53...|57014|55P03|58...|XX00[12]|28...|3D000|42501)$/;

const DISK_FULL = '53100';

/** The driver's messages about a connection, in errors without a code. */
const LOST_WORDS =
  /^(?:Connection terminated|Connection ended|timeout expired|Client has encountered|Client was closed|The server does not support SSL)/;

/**
 * The driver's message for a statement without a response, and the pool's for a caller that waited too long while all
 * connections were in use.
 */
const SILENCE_WORDS = /^Query read timeout/;
const TURN_WORDS = /^timeout exceeded when trying to connect/;

/**
 * A statement was prepared on one server connection and used on another, or prepared twice: a proxy shares connections.
 */
const UNPREPARED = new Set(['26000', '42P05']);

function codeOf(error: unknown): string {
  return error instanceof DatabaseError ? (error.code ?? '') : '';
}

/** Whether the transaction must be repeated. */
export function isToBeDoneAgain(error: unknown): boolean {
  return AGAIN.has(codeOf(error));
}

/** The statement waited too long for a lock (lock_not_available). */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

export function isUnprepared(error: unknown): boolean {
  return UNPREPARED.has(codeOf(error));
}

/** Whether the connection or the server is gone. A new connection may reach it, or another server. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseError) return LOST.test(codeOf(error));
  return LOST_WORDS.test(error.message) || 'syscall' in error || error instanceof AggregateError;
}

/**
 * Whether the server never began the statement. Either the driver refused to send it on a broken connection, or the
 * server had ended the session before because of an idle timeout (25P03), and this error was waiting to be read.
 */
export function isNeverBegun(error: unknown): boolean {
  return codeOf(error) === '25P03' || (error instanceof Error && error.message.endsWith('is not queryable'));
}

/** The server accepts no further connection (too_many_connections), of anyone or of this user. */
export function isServerFull(error: unknown): boolean {
  return codeOf(error) === '53300';
}

/** Whether nothing accepted the connection. An immediate retry is useless. */
export function isNobodyThere(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isNobodyThere);
  if (!(error instanceof Error)) return false;
  return ('syscall' in error && error.syscall === 'connect') || error.message === 'timeout expired';
}

/** Whether a statement was sent and got no response. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && SILENCE_WORDS.test(error.message);
}

/** Whether all connections were in use for too long. The server may be healthy. */
export function isTurnMissed(error: unknown): boolean {
  return error instanceof Error && TURN_WORDS.test(error.message);
}

/** Whether the server has failed, as opposed to a bug in this program. */
export function isServerTrouble(error: unknown): boolean {
  if (isConnectionLost(error) || isToBeDoneAgain(error)) return true;
  return UNABLE.test(codeOf(error)) || isSilence(error) || isTurnMissed(error);
}

/** @param cause the error, for the log and for the operator at the start; never for a client */
export function outOfReach(cause: unknown): Failure {
  const failure = new Failure(
    'unavailable',
    'The database cannot be reached at the moment. Try again in a few seconds.',
    { retryAfterSeconds: 2 },
  );
  // A host name with several addresses gives an error without a message, which has one error for each address.
  failure.cause = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  return failure;
}

/** The message for the log, which never contains a password. */
export function reasonOf(error: unknown): string {
  if (codeOf(error) === DISK_FULL) return `the disk is full (${(error as Error).message})`;
  return error instanceof Error ? error.message : String(error);
}

/** Returns the Failure for a failed server. Other errors are returned unchanged. */
export function explainTrouble(error: unknown): unknown {
  return isServerTrouble(error) ? outOfReach(error) : error;
}

/** The original error behind a Failure. */
export function causeOf(error: unknown): unknown {
  return error instanceof Failure ? error.cause : error;
}

/** Whether the connection can be used again after this error. */
export function isWell(trouble: unknown): boolean {
  return trouble instanceof Failure ? trouble.cause === undefined : isStatementRefused(trouble);
}

/** The server refused a statement, and works. */
function isStatementRefused(error: unknown): boolean {
  return error instanceof DatabaseError && !isConnectionLost(error);
}

/**
 * Whether the statement was certainly refused, whatever a proxy reports about the connection. An ERROR ends only the
 * transaction. If the server has another language, it is not recognised, which is safe.
 */
export function isRefusedForSure(error: unknown): boolean {
  return isStatementRefused(error) || (error instanceof DatabaseError && error.severity === 'ERROR');
}

/** Whether a statement can still be sent on this connection. */
export function isStillThere(error: unknown): boolean {
  return !isServerTrouble(error) || isStatementRefused(error);
}
