import { DatabaseError } from 'pg';
import { Failure } from '../../../domain/failure.ts';

/*
 * What an error of the driver or the server means. Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */

/** Two transactions were in each other's way (serialization_failure, deadlock_detected): the one that was ended is done again, whole. */
const AGAIN = new Set(['40001', '40P01']);

/**
 * The connection is of no use any more: 08 connection exceptions, 57P01 to 57P05 the server ends or the session was ended, 25006 it has become a
 * standby, 25P03 and 25P04 it kept us waiting for too long, or we it.
 */
const LOST = /^(?:08...|57P0[1-5]|25006|25P0[34])$/;

/** The server cannot, for now: 53 insufficient resources, 57014 cancelled by a time-out, 55P03 lock time-out, 58 and XX001 its disk; 28 and 3D it does not let us in. */
const UNABLE = /^(?:53...|57014|55P03|58...|XX00[12]|28...|3D000|42501)$/;

const DISK_FULL = '53100';

/** What the driver says of a connection, in errors without a code. */
const LOST_WORDS =
  /^(?:Connection terminated|Connection ended|timeout expired|Client has encountered|Client was closed|The server does not support SSL)/;

/** The driver's words for a statement that nobody answers, and the pool's for somebody who waited for a connection while all were in use. */
const SILENCE_WORDS = /^Query read timeout/;
const TURN_WORDS = /^timeout exceeded when trying to connect/;

/** A statement that was prepared by one server connection and used by another, or twice by one: what stands between hands connections around. */
const UNPREPARED = new Set(['26000', '42P05']);

function codeOf(error: unknown): string {
  return error instanceof DatabaseError ? (error.code ?? '') : '';
}

export function isToBeDoneAgain(error: unknown): boolean {
  return AGAIN.has(codeOf(error));
}

export function isUnprepared(error: unknown): boolean {
  return UNPREPARED.has(codeOf(error));
}

/** Is the way to the server gone, or the server? A new connection may find it, or another one. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DatabaseError) return LOST.test(codeOf(error));
  return LOST_WORDS.test(error.message) || 'syscall' in error || error instanceof AggregateError;
}

/**
 * Did the server never begin with the statement? The driver refuses to send it on a connection that it knows to be broken; or the server had ended
 * the session before, because it had been waiting for too long (25P03), and this is what lay there as the answer.
 */
export function isNeverBegun(error: unknown): boolean {
  return codeOf(error) === '25P03' || (error instanceof Error && error.message.endsWith('is not queryable'));
}

/** Did nobody listen there, or nobody answer? To try at once again is of no use. */
export function isNobodyThere(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isNobodyThere);
  if (!(error instanceof Error)) return false;
  return ('syscall' in error && error.syscall === 'connect') || error.message === 'timeout expired';
}

/** Was a statement sent, and nothing came back? */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && SILENCE_WORDS.test(error.message);
}

/** Were all connections in use for too long? It says nothing of the server. */
export function isTurnMissed(error: unknown): boolean {
  return error instanceof Error && TURN_WORDS.test(error.message);
}

/** Is it the server's trouble rather than ours? */
export function isServerTrouble(error: unknown): boolean {
  if (isConnectionLost(error) || isToBeDoneAgain(error)) return true;
  return UNABLE.test(codeOf(error)) || isSilence(error) || isTurnMissed(error);
}

/** @param cause what happened, for the log and for whoever starts the service; never for a client */
export function outOfReach(cause: unknown): Failure {
  const failure = new Failure(
    'unavailable',
    'The database cannot be reached at the moment. Try again in a few seconds.',
    { retryAfterSeconds: 2 },
  );
  // A name with several addresses gives an error without words, with one for each of them.
  failure.cause = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  return failure;
}

/** For the log: what went wrong, in the words of the server or the system, which never have a password in them. */
export function reasonOf(error: unknown): string {
  if (codeOf(error) === DISK_FULL) return `the disk is full (${(error as Error).message})`;
  return error instanceof Error ? error.message : String(error);
}

/** Trouble of the server, in words for whoever asked; anything else stays what it is. */
export function explainTrouble(error: unknown): unknown {
  return isServerTrouble(error) ? outOfReach(error) : error;
}

/** What is behind the words for whoever asked. */
export function causeOf(error: unknown): unknown {
  return error instanceof Failure ? error.cause : error;
}

/** Whatever went wrong, can the connection be used again? */
export function isWell(trouble: unknown): boolean {
  return trouble instanceof Failure ? trouble.cause === undefined : isStatementRefused(trouble);
}

/** The server has said no to a statement, and is well. */
function isStatementRefused(error: unknown): boolean {
  return error instanceof DatabaseError && !isConnectionLost(error);
}

/**
 * Was the statement refused, whatever stands between says of the connection? An ERROR ends the transaction only. In another language of the server
 * it is not recognised, which is on the safe side.
 */
export function isRefusedForSure(error: unknown): boolean {
  return isStatementRefused(error) || (error instanceof DatabaseError && error.severity === 'ERROR');
}

/** Can the server still be told something by way of this connection? */
export function isStillThere(error: unknown): boolean {
  return !isServerTrouble(error) || isStatementRefused(error);
}
