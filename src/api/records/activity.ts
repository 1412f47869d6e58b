import type { Static } from 'typebox';
import type { ActivityHistory } from '../../domain/activity-history.ts';
import { LOG_ENTRY_LEVELS, type LogEntry as Entry, type LogEntryLevel, type RecentEntries } from '../../domain/log.ts';
import type { OfNode } from '../../domain/system.ts';
import { exactly, time, timeText } from './fields.ts';
import { JsonText, recordText } from './record-text.ts';
import * as Type from './type.ts';

/* The log and the activity of a node, which are in its memory. */

const node = Type.String({
  description: 'The node that has responded: its host and the number of its process. Each node has its own.',
});

const LogEntry = Type.Object(
  {
    at: time('The time of the entry.'),
    level: Type.Unsafe<LogEntryLevel>({ type: 'string', enum: [...LOG_ENTRY_LEVELS] }),
    message: Type.String({ description: 'The message.' }),
    detail: Type.Optional(Type.String({ description: 'The name and the code of the error, or the reason.' })),
    operation: Type.Optional(Type.String({ description: 'The method and the path of the request, without values.' })),
    requestId: Type.Optional(Type.String({ description: 'The ID of the request, which the response also has.' })),
    fields: Type.Optional(Type.String({ description: 'Its other fields, such as `pets=20 users=11`.' })),
  },
  exactly('LogEntry'),
);

export const RecentLog = Type.Object(
  {
    node,
    since: time('From then on, the entries are complete: the last hour, the time since the start, or less if many.'),
    entries: Type.Array(LogEntry, { description: 'The newest first.' }),
  },
  exactly('RecentLog'),
);
export type RecentLog = Static<typeof RecentLog>;

function values(description: string) {
  const items = { type: ['number', 'null'], minimum: 0 } as const;
  return Type.Unsafe<(number | null)[]>({ type: 'array', items, description });
}

export const Activity = Type.Object(
  {
    node,
    since: time('The beginning of the first minute.'),
    requests: values('Responses.'),
    errors: values('Those of them with a status from 500.'),
    p99Ms: values(
      'The duration that 99 of 100 requests do not exceed, in milliseconds, estimated as Prometheus does. Without ' +
        'event streams; null without requests.',
    ),
    memoryBytes: values('The highest resident memory of the process.'),
    waitingChanges: values('The most changes that waited for a transaction.'),
    waitingPhotos: values('The most photos that waited to be processed.'),
    waitingPasswords: values('The most passwords that waited to be hashed.'),
    waitingSearches: values('The most searches without a result.'),
  },
  exactly('Activity'),
);
export type Activity = Static<typeof Activity>;

export function recentLogText({ node: name, sinceMs, entries }: RecentEntries & OfNode): string {
  const texts = new JsonText(`[${entries.map(entryText).join()}]`);
  return recordText<RecentLog>({ node: name, since: timeText(sinceMs), entries: texts });
}

function entryText({ atMs, level, message, detail, operation, requestId, fields }: Entry): string {
  return recordText<Static<typeof LogEntry>>({
    at: timeText(atMs),
    level,
    message,
    detail,
    operation,
    requestId,
    fields,
  });
}

export function activityText({ node: name, sinceMs, series }: ActivityHistory & OfNode): string {
  return recordText<Activity>({ node: name, since: timeText(sinceMs), ...series });
}
