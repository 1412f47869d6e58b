import type { Logger } from 'pino';
import { LOG_ENTRY_LEVELS, type LogEntry, type LogEntryLevel } from '../../domain/log.ts';

/**
 * The log with a copy of each entry that it writes. A property of the log, and not a stream: the lines of the log are
 * text, and contain stacks. Levels that it does not write keep their empty methods, so that they cost nothing.
 */
export function watchLog(log: Logger, onEntry: (entry: LogEntry) => void): Logger {
  const watched = Object.create(log) as Logger;
  for (const level of LOG_ENTRY_LEVELS.filter((each) => log.isLevelEnabled(each)))
    watched[level] = (...entry: unknown[]) => {
      onEntry(entryOf(level, entry));
      log[level](...(entry as Parameters<Logger['error']>));
    };
  return watched;
}

/** The arguments of the logger: fields and a message, or only a message. */
function entryOf(level: LogEntryLevel, entry: readonly unknown[]): LogEntry {
  const [given, message] = typeof entry[0] === 'string' ? [{}, entry[0]] : [entry[0] as Fields, entry[1]];
  const { err, reason, method, route, requestId, trace_id: _traceId, span_id: _spanId, ...others } = given;
  return {
    atMs: Date.now(),
    level,
    message: String(message),
    detail: typeof reason === 'string' ? reason : nameOf(err),
    operation: typeof route === 'string' ? `${String(method)} ${route.replaceAll(/:(\w+)/g, '{$1}')}` : undefined,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    fields: fieldsText(others),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Without the message of an error, which may contain data. */
function nameOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? `${error.name} (${error.code})` : error.name;
}

function fieldsText(fields: Fields): string | undefined {
  const texts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${valueText(value)}`);
  return texts.length === 0 ? undefined : texts.join(' ');
}

function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Error) return nameOf(value) ?? '';
  return JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
}
