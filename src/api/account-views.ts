import type { ApiKey } from '../domain/accounts/api-key.ts';
import type { AccountView, CreatedKey, ActiveSession } from '../domain/accounts/own-account.ts';
import type { ResetLink } from '../domain/accounts/password-reset.ts';
import type { AuditEntry } from '../domain/audit.ts';
import { recordText } from './answers.ts';

/*
 * What is shown of accounts, sessions, keys and the audit trail: the fields by name, so that nothing else can slip out. Times are RFC 3339.
 */

export function accountText({ id: accountId, user, role }: AccountView): string {
  const { id, username, firstName, lastName, email, phone, userStatus } = user;
  return recordText({ id, username, firstName, lastName, email, phone, userStatus, role, accountId });
}

export function sessionText({ id, startedAtMs, lastUsedAtMs, endsAtMs, client, isCurrent }: ActiveSession): string {
  return recordText({
    id,
    createdAt: time(startedAtMs),
    lastUsedAt: time(lastUsedAtMs),
    expiresAt: time(endsAtMs),
    address: client.address,
    userAgent: client.userAgent,
    current: isCurrent,
  });
}

export function keyText(key: ApiKey): string {
  return recordText(keyView(key));
}

/** With the key itself, which is shown this once. */
export function createdKeyText({ key, ...rest }: CreatedKey): string {
  return recordText({ key, ...keyView(rest) });
}

function keyView({ id, name, scopes, createdAtMs, expiresAtMs, lastUsedAtMs }: ApiKey) {
  return {
    id,
    name,
    scopes,
    createdAt: time(createdAtMs),
    expiresAt: time(expiresAtMs),
    lastUsedAt: lastUsedAtMs === undefined ? undefined : time(lastUsedAtMs),
  };
}

/** @param origin where people reach the service; the token stands behind the #, which browsers send to nobody */
export function resetLinkText({ token, expiresAtMs }: ResetLink, origin: string): string {
  return recordText({ link: `${origin}${RESET_PATH}#${token}`, token, expiresAt: time(expiresAtMs) });
}

/** The page where a reset link leads. */
export const RESET_PATH = '/reset-password';

export function auditEntryText({ id, stamp, action, subject, outcome, details }: AuditEntry): string {
  return recordText({
    id,
    at: time(stamp.atMs),
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

function time(ms: number): string {
  return new Date(ms).toISOString();
}
