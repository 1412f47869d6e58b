import { pino, type Logger } from 'pino';
import { isUnavailable } from '../../domain/failure.ts';
import type { LogLevel } from '../configuration/settings.ts';

export type { Logger };

const STANDARD_ERROR = 2;

/**
 * Lines that cannot be written, for instance to a full disk, are buffered up to this size. Further lines are dropped.
 */
const MAX_UNWRITTEN_BYTES = 1024 * 1024;

/**
 * Logs to standard error, as one JSON object per line or as text. Headers, queries and bodies may contain secrets and
 * are never logged, so nothing needs redaction; of errors, only known fields are.
 */
export async function createLog(level: LogLevel, format: 'json' | 'pretty'): Promise<Logger> {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: errorFields },
  };
  const destination = pino.destination({ dest: STANDARD_ERROR, sync: true, maxLength: MAX_UNWRITTEN_BYTES });
  // Without a listener, a line that cannot be written would be an uncaught error and stop the service.
  destination.on('error', () => {});
  if (format === 'json') return pino(options, destination);
  // Loaded on demand, because it takes time.
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty({ destination, ignore: 'pid', translateTime: 'SYS:HH:MM:ss' }));
}

const MAX_CAUSES = 3;

/** Other properties of an error may quote input: the URL that is invalid, or the row that violates a constraint. */
export function errorFields(error: unknown, causes = 0): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code, errno, errcode, syscall } = error as Partial<Record<'code' | 'errno' | 'errcode' | 'syscall', unknown>>;
  const inner = cause === undefined || causes === MAX_CAUSES ? undefined : errorFields(cause, causes + 1);
  return { type: name, message, code, errno, errcode, syscall, stack, cause: inner };
}

/** Logs errors, except an unavailable database, which its connections log once. */
export function logTrouble(log: Logger, message: string): (error: unknown) => void {
  return (error) => {
    if (!isUnavailable(error)) log.error({ err: error }, message);
  };
}
