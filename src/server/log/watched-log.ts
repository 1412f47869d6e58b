import type { Logger } from 'pino';
import type { LoggedError } from '../../domain/system.ts';

/**
 * The log with a copy of each error. A property of the log, and not a stream: the lines of the log are text, and
 * contain stacks.
 */
export function watchErrors(log: Logger, onError: (error: LoggedError) => void): Logger {
  const watched = Object.create(log) as Logger;
  for (const level of ['error', 'fatal'] as const)
    watched[level] = (...entry: unknown[]) => {
      onError(errorOf(entry));
      log[level](...(entry as Parameters<Logger['error']>));
    };
  return watched;
}

/** The arguments of the logger: fields and a message, or only a message. */
function errorOf(entry: readonly unknown[]): LoggedError {
  const [fields, message] = typeof entry[0] === 'string' ? [{}, entry[0]] : [entry[0] as Fields, entry[1]];
  const { err, reason, method, route, requestId } = fields;
  return {
    atMs: Date.now(),
    message: String(message),
    detail: typeof reason === 'string' ? reason : nameOf(err),
    operation: typeof route === 'string' ? `${String(method)} ${route.replaceAll(/:(\w+)/g, '{$1}')}` : undefined,
    requestId: typeof requestId === 'string' ? requestId : undefined,
  };
}

type Fields = Readonly<Record<string, unknown>>;

function nameOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? `${error.name} (${error.code})` : error.name;
}
