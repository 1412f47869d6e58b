import { FEATURE_PERMISSIONS } from '../features/permissions.ts';
import { Failure } from './failure.ts';
import type { RequestClaim } from './request-claim.ts';

/** The access modes: which operations require credentials, and where the service may listen (docs/rules.md, Access). */
export const ACCESS_MODES = ['open', 'secured', 'sandbox'] as const;

export type AccessMode = (typeof ACCESS_MODES)[number];

export const ROLES = ['viewer', 'editor', 'admin'] as const;

export type Role = (typeof ROLES)[number];

export const DEFAULT_ROLE = 'viewer' satisfies Role;

/**
 * Whether only an administrator can assign the role: every other one, also a role of a later version, whose account is
 * protected in the same way.
 */
export function isStaff(role: Role): boolean {
  return role !== DEFAULT_ROLE;
}

/** The scopes of API keys. A key never allows more than the role of its owner. */
export const SCOPES = ['read:pets', 'write:pets', 'read:metrics'] as const;

export type Scope = (typeof SCOPES)[number];

/** The author of a request. `address` is the IP address of the client. */
export type Actor = Anonymous | LoggedIn | KeyHolder | Operator;

export interface Anonymous {
  kind: 'anonymous';
  address: string;
  /** The claim of a request with an idempotency key, which its changes carry. */
  claim?: RequestClaim;
  /** A standby may serve this request only if it has this version. */
  lastWritten?: bigint;
}

interface AccountHolder {
  address: string;
  claim?: RequestClaim;
  userId: bigint;
  username: string;
  role: Role;
  /**
   * The last version of a pet written by this session or key. A standby may serve its reads only if it has that
   * version.
   */
  lastWritten?: bigint | undefined;
}

/**
 * With what the owner of an account proves to be the owner. A `provider` is one of OpenID Connect, and may have checked
 * a second factor.
 */
export const FACTORS = ['password', 'totp', 'recovery-code', 'passkey', 'provider', 'provider-second-factor'] as const;

export type Factor = (typeof FACTORS)[number];

/** How the owner of a session has proved to be the owner of the account. */
export interface SessionProof {
  factors: readonly Factor[];
  issuer?: string | undefined;
}

/** What a stolen password does not give. A passkey is always used with a PIN or a biometric check. */
const SECOND_FACTORS: readonly Factor[] = ['totp', 'recovery-code', 'passkey', 'provider-second-factor'];

const SECOND_FACTORS_TO_SET_UP = ['totp', 'passkey'] as const satisfies readonly Factor[];

export interface SecondFactorPolicy {
  roles: readonly Role[];
}

export const NO_SECOND_FACTOR: SecondFactorPolicy = { roles: [] };

/** Whether the session may only be used to set up or prove a second factor. */
export function needsSecondFactor({ role, session }: LoggedIn, policy: SecondFactorPolicy): boolean {
  if (!policy.roles.includes(role)) return false;
  return !session.proof.factors.some((factor) => SECOND_FACTORS.includes(factor));
}

/** Authenticated by a session. */
export interface LoggedIn extends AccountHolder {
  kind: 'signed-in';
  /** `provedAtMs` is the time when a factor was checked last. */
  session: { id: string; digest: string; startedAtMs: number; provedAtMs: number; proof: SessionProof };
}

/** Authenticated by an API key, or by an access token of OAuth 2.0, which is stored as one. */
export interface KeyHolder extends AccountHolder {
  kind: 'key';
  keyId: string;
  scopes: readonly Scope[];
  isAccessToken: boolean;
}

/**
 * The command line on the machine of the service: access to the database file implies every permission. `name` is the
 * user of the operating system.
 */
export interface Operator {
  kind: 'operator';
  name: string;
}

/**
 * The version that reads of this actor must include, so that it sees its own changes immediately. 0 for anonymous
 * clients, whose changes are not tracked.
 */
export function lastWrittenBy(actor: Actor): bigint {
  return ('lastWritten' in actor ? actor.lastWritten : undefined) ?? 0n;
}

interface Rule {
  /** Everyone is allowed in open and sandbox access. */
  free: boolean;
  /** Anonymous clients are allowed in secured access. */
  anonymous?: true;
  /** The roles that are allowed with a session. */
  roles: readonly Role[];
  /** The owner of the account is allowed, with any role. */
  own?: true;
  /** API keys with this scope are allowed if the role of their owner is. If undefined, no API key is allowed. */
  scope?: Scope;
}

/** The permissions. Reading pets, logging in and logging out need none. */
export const RULES = {
  'write pets': { free: true, roles: ['editor', 'admin'], scope: 'write:pets' },
  'sign up': { free: true, anonymous: true, roles: ROLES },
  'create users': { free: true, roles: ['admin'] },
  'use account': { free: true, roles: ['admin'], own: true },
  /**
   * Changing an account whose role is above viewer. Never free: an anonymous client could take the account over and use
   * its permissions in secured access.
   */
  'change trusted account': { free: false, roles: ['admin'], own: true },
  'use own account': { free: false, roles: ROLES },
  /** Also without the second factor that the role requires. */
  'set up factors': { free: false, roles: ROLES },
  administer: { free: false, roles: ['admin'] },
  'create playgrounds': { free: true, roles: ['admin'] },
  'read metrics': { free: true, roles: ['admin'], scope: 'read:metrics' },
  ...FEATURE_PERMISSIONS,
} as const satisfies Record<string, Rule>;

export type Action = keyof typeof RULES;

/**
 * Whether a user with this role may perform the action in this access mode; undefined for anonymous users. The web
 * application uses it to show or hide controls. The service uses `createAccess`, which also considers API keys and
 * account ownership.
 */
export function mayRole(role: Role | undefined, action: Action, mode: AccessMode): boolean {
  const rule: Rule = RULES[action];
  if ((rule.free && mode !== 'secured') || rule.anonymous) return true;
  return role !== undefined && rule.roles.includes(role);
}

/** Whether the scope allows anything to an API key whose owner has this role, in secured access. */
export function mayUseScope(role: Role, scope: Scope): boolean {
  const rules = Object.values<Rule>(RULES).filter((rule) => rule.scope === scope);
  // Reading pets needs no permission.
  return rules.length === 0 || rules.some(({ roles }) => roles.includes(role));
}

export const ACTIONS = Object.keys(RULES) as readonly Action[];

export interface AccessSettings {
  mode: AccessMode;
  /** Whether anonymous clients can sign up in secured access. */
  signUp: boolean;
  /** By default, no role requires a second factor. */
  secondFactor?: SecondFactorPolicy;
  /** Called when an authenticated actor is refused. */
  onRefused?: (actor: Actor, action: Action) => void;
}

/**
 * Throws unless the actor may perform the action. `ownAccount`: whether the action concerns the actor's own account.
 */
export type Access = (actor: Actor, action: Action, ownAccount?: boolean) => void;

/**
 * Checks all permissions. In open and sandbox access, everyone may use the sixteen Petstore operations: open access
 * listens on loopback only, and sandbox access is for public demos. Administration requires credentials in every mode.
 *
 * @throws Failure `unauthenticated` for an anonymous client, and for an API key without the permission; `forbidden` for
 *   an access token and a session without it, and for a session without the second factor that its role requires
 */
export function createAccess(settings: AccessSettings): Access {
  const { mode, signUp, secondFactor = NO_SECOND_FACTOR, onRefused = () => {} } = settings;
  return (actor, action, ownAccount = false) => {
    const rule: Rule = action === 'sign up' && !signUp ? { free: true, roles: ['admin'] } : RULES[action];
    if (actor.kind === 'operator' || (rule.free && mode !== 'secured')) return;
    if (mayBy(rule, actor, ownAccount)) {
      const isRestricted = actor.kind === 'signed-in' && needsSecondFactor(actor, secondFactor);
      if (!isRestricted || rule.anonymous || action === 'set up factors') return;
      throw secondFactorRequired();
    }
    if (actor.kind !== 'anonymous') onRefused(actor, action);
    if (actor.kind === 'signed-in')
      throw new Failure('forbidden', 'Your account does not have permission for this operation.');
    if (actor.kind === 'key' && actor.isAccessToken) throw refusedToken(actor, rule);
    throw new Failure('unauthenticated', refusal(actor, rule));
  };
}

/** Whether the actor may perform the action. It reports no refusal: a client that sees less is not refused. */
export type Permission = (actor: Actor, action: Action) => boolean;

/** @param access without `onRefused` */
export function permissionOf(access: Access): Permission {
  return (actor, action) => {
    try {
      access(actor, action);
      return true;
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  };
}

/** Whether the action needs no credentials in this access mode. */
export function mayEveryone(may: Permission, action: Action): boolean {
  return may({ kind: 'anonymous', address: '' }, action);
}

function secondFactorRequired(): Failure {
  return new Failure(
    'forbidden',
    'Your role requires a second factor. Set up one, or prove that you have it with POST /v2/account/proof.',
    { secondFactor: SECOND_FACTORS_TO_SET_UP },
  );
}

function mayBy(rule: Rule, actor: Exclude<Actor, Operator>, ownAccount: boolean): boolean {
  if (rule.anonymous) return true;
  if (actor.kind === 'anonymous') return false;
  const mayByRole = rule.roles.includes(actor.role);
  if (actor.kind === 'key') return mayByRole && rule.scope !== undefined && actor.scopes.includes(rule.scope);
  return mayByRole || (rule.own === true && ownAccount);
}

/** RFC 6750, section 3.1. API keys get 401, as in Petstore. */
function refusedToken({ scopes }: KeyHolder, { scope }: Rule): Failure {
  if (scope === undefined)
    return new Failure('forbidden', 'Access tokens are not allowed for this operation. Log in instead.', {
      missingScope: null,
    });
  if (!scopes.includes(scope))
    return new Failure('forbidden', `The access token does not have the scope ${scope}.`, { missingScope: scope });
  return new Failure('forbidden', 'The owner of the access token does not have permission for this operation.');
}

function refusal(actor: Anonymous | KeyHolder, { scope }: Rule): string {
  if (actor.kind === 'anonymous') {
    return scope === undefined
      ? 'Missing or invalid credentials. Log in first.'
      : `Missing or invalid credentials. Log in, or send an API key with the scope ${scope}.`;
  }
  if (scope === undefined) return 'API keys are not allowed for this operation. Log in instead.';
  return `This API key is not allowed for this operation: it requires the scope ${scope}, and an owner whose role has the permission.`;
}
