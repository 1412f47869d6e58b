import { auditEntryText } from '../api/records/audit-entry.ts';
import { SUBJECT_KINDS } from '../domain/audit.ts';
import { readAuditCriteria } from '../api/queries/admin-queries.ts';
import type { OperatorDesk } from '../server/operator.ts';
import { runCommand, textFlag, type Call, type CommandGroup } from './terminal/command.ts';
import { print, UsageError } from './terminal/output.ts';
import { momentOf, tableOf } from './terminal/table.ts';

const FILTERS = {
  action: { type: 'string', value: 'ACTION', help: 'an action such as pet.added, or a group of actions such as pet' },
  outcome: { type: 'string', value: 'OUTCOME', help: 'done, failed or refused' },
  actor: { type: 'string', value: 'NAME', help: 'username of the actor' },
  kind: { type: 'string', value: 'KIND', help: `kind of the subject: ${SUBJECT_KINDS.join(', ')}` },
  subject: { type: 'string', value: 'SUBJECT', help: 'ID or username of the subject' },
  since: { type: 'string', value: 'TIME', help: 'start, such as 2026-01-31 or 2026-01-31T12:00:00Z' },
  until: { type: 'string', value: 'TIME', help: 'end, in the same formats' },
} as const;

const FILTER_NAMES = Object.keys(FILTERS) as (keyof typeof FILTERS)[];

const BATCH_SIZE = 1000;
const DEFAULT_TABLE_LIMIT = 50;

const AUDIT: CommandGroup = {
  name: 'audit',
  help: 'Read the audit log. Works on the database itself, whether or not the service is running.',
  commands: {
    list: {
      usage: 'audit list [FILTERS] [--limit COUNT]',
      help: 'List entries, newest first.',
      argumentCount: 0,
      flags: {
        ...FILTERS,
        limit: {
          type: 'string',
          value: 'COUNT',
          help: `maximum number of entries (default ${DEFAULT_TABLE_LIMIT}; all with --json)`,
        },
      },
      run: listEntries,
    },
  },
  examples: [
    'menagerie audit list --actor edna --since 2026-01-31',
    'menagerie audit list --action session.begun --outcome failed --json',
  ],
};

export async function audit(args: readonly string[]): Promise<void> {
  await runCommand(AUDIT, args);
}

async function listEntries({ auditLog, operator }: OperatorDesk, call: Call): Promise<void> {
  const criteria = readAuditCriteria(Object.fromEntries(FILTER_NAMES.map((name) => [name, textFlag(call, name)])));
  const most = limitOf(call);
  const rows: string[][] = [];
  for (let left = most, beforeId: bigint | undefined, isMore = true; isMore && left > 0;) {
    const limit = Math.min(left, BATCH_SIZE);
    const batch = await auditLog.listEntries(operator, criteria, { beforeId, limit });
    if (call.isJson) print(batch.map((entry) => `${auditEntryText(entry)}\n`).join(''));
    else rows.push(...batch.map(rowOf));
    beforeId = batch.at(-1)?.id;
    left -= batch.length;
    isMore = batch.length === limit;
  }
  if (!call.isJson)
    print(tableOf(['time', 'actor', 'via', 'address', 'action', 'subject', 'outcome', 'details'], rows));
}

type Entries = Awaited<ReturnType<OperatorDesk['auditLog']['listEntries']>>;

/** Names of pets are not unique, so the ID is shown as well. */
function textOf({ kind, id, name }: NonNullable<Entries[number]['subject']>): string {
  if (kind === 'pet' && name !== null) return `${kind} ${id} ${name}`;
  return `${kind} ${name ?? id}`;
}

function rowOf({ stamp, action, subject, outcome, details }: Entries[number]): string[] {
  return [
    momentOf(stamp.atMs),
    stamp.actorName ?? '-',
    stamp.via,
    stamp.address ?? '-',
    action,
    subject === null ? '-' : textOf(subject),
    outcome,
    Object.entries(details ?? {})
      .map(([name, value]) => `${name}: ${value}`)
      .join(', '),
  ];
}

function limitOf(call: Call): number {
  const text = textFlag(call, 'limit');
  if (text === undefined) return call.isJson ? Infinity : DEFAULT_TABLE_LIMIT;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError('--limit must be a whole number, at least 1.');
  return Number(text);
}
