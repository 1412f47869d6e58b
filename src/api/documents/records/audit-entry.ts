import { Type } from 'typebox';
import { AUDIT_ACTIONS, AUDIT_OUTCOMES, type AuditAction, type AuditOutcome, type Via } from '../../../domain/audit.ts';
import { int64, time } from './int64.ts';

const VIAS = ['anonymous', 'session', 'key', 'reset-link', 'command-line'] as const satisfies readonly Via[];
const KINDS = ['pet', 'account', 'key', 'webhook'] as const;

const orNull = <T>(schema: Type.TSchema) => Type.Unsafe<T | null>({ anyOf: [schema, { type: 'null' }] });
const textOrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });

const Actor = Type.Object(
  {
    id: Type.Unsafe<bigint | null>({ type: ['integer', 'null'], format: 'int64' }),
    name: Type.String({ description: 'The user name at that time; at the command line, that of the system.' }),
  },
  { title: 'AuditActor', additionalProperties: false },
);

const Subject = Type.Object(
  {
    kind: Type.Unsafe<(typeof KINDS)[number]>({ type: 'string', enum: [...KINDS] }),
    id: Type.String(),
    name: textOrNull('The name that it had; null for a pet in entries that an earlier version of the service wrote.'),
  },
  { title: 'AuditSubject', additionalProperties: false },
);

/** One entry of the audit trail. */
export const AuditEntry = Type.Object(
  {
    id: int64('Grows in the order in which things were done.'),
    at: time('When.'),
    action: Type.Unsafe<AuditAction>({ type: 'string', enum: [...AUDIT_ACTIONS] }),
    outcome: Type.Unsafe<AuditOutcome>({ type: 'string', enum: [...AUDIT_OUTCOMES] }),
    actor: orNull<Type.Static<typeof Actor>>(Actor),
    via: Type.Unsafe<Via>({ type: 'string', enum: [...VIAS] }),
    credential: textOrNull('Which session or key it was, by its public id.'),
    address: textOrNull('The IP address.'),
    subject: orNull<Type.Static<typeof Subject>>(Subject),
    details: Type.Unsafe<Readonly<Record<string, string>> | null>({
      type: ['object', 'null'],
      additionalProperties: { type: 'string' },
      description:
        'What else is known, by name. Of a changed pet, `fields` has the names of the fields with other values, with commas between them.',
    }),
  },
  { title: 'AuditEntry', additionalProperties: false },
);
export type AuditEntry = Type.Static<typeof AuditEntry>;
