import type { Clock } from '../../domain/ports.ts';
import { LOG_ENTRY_LEVELS, type LogEntry, type LogFilter, type RecentEntries } from '../../domain/log.ts';

const HOUR_MS = 3_600_000;

/** Beyond it, the oldest entries are dropped: about 2,500 short ones. */
const MAX_BYTES = 1024 * 1024;

/** Of the objects of an entry and its times, about. */
const ENTRY_BYTES = 250;

/** Of each text of an entry. */
const MAX_CHARACTERS = 1000;

/** The entries of the last hour, in at most 1 MiB of memory. */
export class RecentLog {
  readonly #clock: Clock;
  #sinceMs: number;
  #entries: LogEntry[] = [];
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sinceMs = clock();
  }

  add(entry: LogEntry): void {
    const kept = shortened(entry);
    this.#entries.push(kept);
    this.#bytes += sizeOf(kept);
    if (this.#bytes > MAX_BYTES) this.#dropOldest();
  }

  read({ level = 'debug', text = '', limit }: LogFilter): RecentEntries {
    this.#dropOld();
    const lowest = LOG_ENTRY_LEVELS.indexOf(level);
    const sought = text.toLowerCase();
    const entries: LogEntry[] = [];
    for (let index = this.#entries.length - 1; index >= 0 && entries.length < limit; index--) {
      const entry = this.#entries[index] as LogEntry;
      if (LOG_ENTRY_LEVELS.indexOf(entry.level) >= lowest && textOf(entry).toLowerCase().includes(sought))
        entries.push(entry);
    }
    return { sinceMs: this.#sinceMs, entries };
  }

  /** Drops a tenth at once, because the entries that stay are moved, which takes 75 microseconds. */
  #dropOldest(): void {
    let dropped = 0;
    for (; this.#bytes > MAX_BYTES * 0.9; dropped++) this.#bytes -= sizeOf(this.#entries[dropped] as LogEntry);
    this.#entries.splice(0, dropped);
    this.#sinceMs = this.#entries[0]?.atMs ?? this.#sinceMs;
  }

  #dropOld(): void {
    const firstMs = this.#clock() - HOUR_MS;
    this.#sinceMs = Math.max(this.#sinceMs, firstMs);
    const dropped = this.#entries.findIndex(({ atMs }) => atMs >= firstMs);
    const old = this.#entries.splice(0, dropped === -1 ? this.#entries.length : dropped);
    for (const entry of old) this.#bytes -= sizeOf(entry);
  }
}

function shortened({ atMs, level, message, detail, operation, requestId, fields }: LogEntry): LogEntry {
  return {
    atMs,
    level,
    message: short(message),
    detail: detail && copyOf(short(detail)),
    operation: operation && short(operation),
    requestId: requestId && short(requestId),
    fields: fields && short(fields),
  };
}

function short(text: string): string {
  return text.length > MAX_CHARACTERS ? `${copyOf(text.slice(0, MAX_CHARACTERS))}...` : text;
}

/** A text that was cut from another one keeps the whole one in memory. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

function textOf({ message, detail = '', operation = '', requestId = '', fields = '' }: LogEntry): string {
  return `${message}\n${detail}\n${operation}\n${requestId}\n${fields}`;
}

/** Two bytes for each character, about. */
function sizeOf(entry: LogEntry): number {
  return ENTRY_BYTES + 2 * textOf(entry).length;
}
