import {
  AUDIT_ACTIONS,
  AUDIT_OUTCOMES,
  SUBJECT_KINDS,
  type AuditAction,
  type AuditEntry as DomainAuditEntry,
  type AuditOutcome,
  type AuditSubject,
  type Via,
} from '../../domain/audit.ts';
import { recordText } from './record-text.ts';
import * as Type from './type.ts';
import { Actor, exactly, int64, orNull, textOrNull, time, timeText } from './fields.ts';

const VIAS = [
  'anonymous',
  'session',
  'key',
  'reset-link',
  'provider',
  'oauth-client',
  'command-line',
] as const satisfies readonly Via[];

const Subject = Type.Object(
  {
    kind: Type.Unsafe<AuditSubject['kind']>({ type: 'string', enum: [...SUBJECT_KINDS] }),
    id: Type.String(),
    name: textOrNull('The name at that time; null for a pet in entries of earlier versions of the service.'),
  },
  exactly('AuditSubject'),
);

export const AuditEntry = Type.Object(
  {
    id: int64('Increases with each entry.'),
    at: time('The time of the action.'),
    action: Type.Unsafe<AuditAction>({ type: 'string', enum: [...AUDIT_ACTIONS] }),
    outcome: Type.Unsafe<AuditOutcome>({ type: 'string', enum: [...AUDIT_OUTCOMES] }),
    actor: orNull(Actor, 'Null for anonymous clients.'),
    via: Type.Unsafe<Via>({ type: 'string', enum: [...VIAS] }),
    credential: textOrNull('The public id of the session or key.'),
    address: textOrNull('The IP address.'),
    subject: orNull(Subject),
    details: Type.Unsafe<Readonly<Record<string, string>> | null>({
      type: ['object', 'null'],
      additionalProperties: { type: 'string' },
      description:
        'Further details by name. For a changed pet, `fields` has the names of the changed fields, separated by ' +
        'commas.',
    }),
  },
  exactly('AuditEntry'),
);
export type AuditEntry = Type.Static<typeof AuditEntry>;

export function auditEntryText({ id, stamp, action, subject, outcome, details }: DomainAuditEntry): string {
  return recordText<AuditEntry>({
    id,
    at: timeText(stamp.atMs),
    action,
    outcome,
    actor: stamp.actorName === null ? null : { id: stamp.actorId, name: stamp.actorName },
    via: stamp.via,
    credential: stamp.credentialId,
    address: stamp.address,
    subject,
    details,
  });
}
