import { auditEntryText } from '../api/records/audit-entry.ts';
import { readAuditQuestion } from '../api/admin-queries.ts';
import type { OperatorDesk } from '../server/operator.ts';
import { runCommand, textFlag, type Call, type Command } from './command.ts';
import { print, UsageError } from './output.ts';
import { momentOf, tableOf } from './table.ts';

const FILTERS = ['action', 'outcome', 'actor', 'kind', 'subject', 'since', 'until'] as const;

const PART = 1000;
const SHOWN_TO_PEOPLE = 50;

const COMMANDS: Readonly<Record<string, Command>> = {
  list: {
    usage: `audit list ${FILTERS.map((name) => `[--${name} ...]`).join(' ')} [--limit COUNT]`,
    help: `Who did what, when, from where, newest first: the last ${SHOWN_TO_PEOPLE}; with --json all, unless --limit says how many.`,
    argumentCount: 0,
    flags: Object.fromEntries([...FILTERS, 'limit'].map((name) => [name, { type: 'string' }])),
    run: listEntries,
  },
};

/** `menagerie audit ...`: the audit trail, for whoever runs the service. */
export async function audit(args: readonly string[]): Promise<void> {
  await runCommand('audit', COMMANDS, args);
}

async function listEntries({ auditTrail, operator }: OperatorDesk, call: Call): Promise<void> {
  const question = readAuditQuestion(Object.fromEntries(FILTERS.map((name) => [name, textFlag(call, name)])));
  const most = limitOf(call);
  const rows: string[][] = [];
  for (let left = most, beforeId: bigint | undefined, isMore = true; isMore && left > 0;) {
    const limit = Math.min(left, PART);
    const part = await auditTrail.listEntries(operator, question, { beforeId, limit });
    if (call.isJson) print(part.map((entry) => `${auditEntryText(entry)}\n`).join(''));
    else rows.push(...part.map(rowOf));
    beforeId = part.at(-1)?.id;
    left -= part.length;
    isMore = part.length === limit;
  }
  if (!call.isJson) print(tableOf(['when', 'who', 'via', 'from', 'what', 'to what', 'outcome', 'details'], rows));
}

type Entries = Awaited<ReturnType<OperatorDesk['auditTrail']['listEntries']>>;

/** Pets may share a name, so they have their id as well. */
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
  if (text === undefined) return call.isJson ? Infinity : SHOWN_TO_PEOPLE;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError('--limit must be a whole number from 1.');
  return Number(text);
}
