import { Failure } from './failure.ts';
import type { RequestClaim } from './idempotency/request-claim.ts';

/** Who may use the service without credentials, and so where it may listen (docs/rules.md, Access). */
export const ACCESS_MODES = ['open', 'secured', 'sandbox'] as const;

export type AccessMode = (typeof ACCESS_MODES)[number];

export const ROLES = ['viewer', 'editor', 'admin'] as const;

export type Role = (typeof ROLES)[number];

/** The role of new accounts. */
export const DEFAULT_ROLE = 'viewer' satisfies Role;

/** The roles that only an administrator can assign. */
export const STAFF_ROLES: readonly Role[] = ROLES.filter((role) => role !== DEFAULT_ROLE);

export function isStaff(role: Role): boolean {
  return STAFF_ROLES.includes(role);
}

/** What an API key may be used for. It never allows what the role of its owner does not. */
export const SCOPES = ['read:pets', 'write:pets'] as const;

export type Scope = (typeof SCOPES)[number];

/** Who is asking, and from where: `address` is the IP address that the request came from. */
export type Actor = Anonymous | SignedIn | KeyHolder | Operator;

export interface Anonymous {
  kind: 'anonymous';
  address: string;
  /** What the changes of this request carry, where it has an idempotency key. */
  claim?: RequestClaim;
  /** What is read in this request is no older, where that matters. */
  lastWritten?: bigint;
}

interface AccountHolder {
  address: string;
  claim?: RequestClaim;
  userId: bigint;
  username: string;
  role: Role;
  /** The last version of a pet that was written by this session or key: what it reads is no older. */
  lastWritten?: bigint | undefined;
}

/** By a session. */
export interface SignedIn extends AccountHolder {
  kind: 'signed-in';
  session: { id: string; digest: string; startedAtMs: number };
}

/** By an API key. */
export interface KeyHolder extends AccountHolder {
  kind: 'key';
  keyId: string;
  scopes: readonly Scope[];
}

/** By the command line of the machine: whoever holds the database file needs no permission of ours. `name` is the system's user. */
export interface Operator {
  kind: 'operator';
  name: string;
}

/** Everybody sees at once what they have written themselves. Of those whom nobody knows, nobody knows what that is. */
export function lastWrittenBy(actor: Actor): bigint {
  return ('lastWritten' in actor ? actor.lastWritten : undefined) ?? 0n;
}

interface Rule {
  /** In open and sandbox access, anyone may. */
  free: boolean;
  /** In secured access, anonymous clients may. */
  anonymous?: true;
  /** The roles that may, with a session. */
  roles: readonly Role[];
  /** The owner of the account in question may, whatever the role. */
  own?: true;
  /** An API key with this scope may, if the role of its owner may. Without a scope, no key may. */
  scope?: Scope;
}

/** The permissions. Reading pets, logging in and logging out need none. */
export const RULES = {
  'write pets': { free: true, roles: ['editor', 'admin'], scope: 'write:pets' },
  'sign up': { free: true, anonymous: true, roles: ROLES },
  'create users': { free: true, roles: ['admin'] },
  'use account': { free: true, roles: ['admin'], own: true },
  /** An account with a role above viewer: what it may do in secured access is not to be had by whoever passes by in another. */
  'change trusted account': { free: false, roles: ['admin'], own: true },
  'use own account': { free: false, roles: ROLES },
  administer: { free: false, roles: ['admin'] },
} as const satisfies Record<string, Rule>;

export type Action = keyof typeof RULES;

/**
 * Whether this role may do this in this mode of access; undefined is an anonymous client. The web application shows its controls by it, the service decides
 * by `createAccess`, which has the same rules and looks at sessions, keys and the owner of an account as well.
 */
export function mayRole(role: Role | undefined, action: Action, mode: AccessMode): boolean {
  const rule: Rule = RULES[action];
  if ((rule.free && mode !== 'secured') || rule.anonymous) return true;
  return role !== undefined && rule.roles.includes(role);
}

export const ACTIONS = Object.keys(RULES) as readonly Action[];

export interface AccessSettings {
  mode: AccessMode;
  /** May strangers make themselves an account, in secured access? */
  signUp: boolean;
  /** Hears of everybody who is known, and was turned away. */
  onRefused?: (actor: Actor, action: Action) => void;
}

/** May this actor do this? `ownAccount` says whether the account in question is the actor's own. */
export type Access = (actor: Actor, action: Action, ownAccount?: boolean) => void;

/**
 * The one place that says who may do what. In open and sandbox mode everybody may do what Petstore's sixteen operations do; there, what keeps
 * strangers out is where the service listens, or nothing. What gives power over accounts asks who one is in every mode.
 *
 * @throws Failure `unauthenticated` for somebody unknown, and for a key that may not; `forbidden` for somebody known who may not
 */
export function createAccess({ mode, signUp, onRefused = () => {} }: AccessSettings): Access {
  return (actor, action, ownAccount = false) => {
    const rule: Rule = action === 'sign up' && !signUp ? { free: true, roles: ['admin'] } : RULES[action];
    if (actor.kind === 'operator' || (rule.free && mode !== 'secured') || mayBy(rule, actor, ownAccount)) return;
    if (actor.kind !== 'anonymous') onRefused(actor, action);
    if (actor.kind === 'signed-in') throw new Failure('forbidden', 'Your account may not do this.');
    throw new Failure('unauthenticated', refusal(actor, rule));
  };
}

function mayBy(rule: Rule, actor: Exclude<Actor, Operator>, ownAccount: boolean): boolean {
  if (rule.anonymous) return true;
  if (actor.kind === 'anonymous') return false;
  const mayByRole = rule.roles.includes(actor.role);
  if (actor.kind === 'key') return mayByRole && rule.scope !== undefined && actor.scopes.includes(rule.scope);
  return mayByRole || (rule.own === true && ownAccount);
}

function refusal(actor: Anonymous | KeyHolder, { scope }: Rule): string {
  if (actor.kind === 'anonymous') {
    return scope === undefined ? 'Log in first.' : 'Log in first, or send an API key that may do this.';
  }
  if (scope === undefined) return 'An API key may not do this. Log in instead.';
  return `This API key may not do this: it needs the scope ${scope}, and an owner whose role may.`;
}
