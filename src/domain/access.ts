import { Failure } from './failure.ts';
import type { RequestClaim } from './idempotency/request-claim.ts';

/** How the service is reached, and so whom it lets in (CONTRACT: open is not reachable, reachable is not open). */
export const ACCESS_MODES = ['open', 'secured', 'sandbox'] as const;

export type AccessMode = (typeof ACCESS_MODES)[number];

export const ROLES = ['viewer', 'editor', 'admin'] as const;

export type Role = (typeof ROLES)[number];

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
  /** In open and sandbox access, anybody may. */
  free: boolean;
  /** In secured access, also those who have not said who they are. */
  anonymous?: true;
  /** Who may by role, signed in. */
  roles: readonly Role[];
  /** Whoever the account in question belongs to may, too. */
  own?: true;
  /** A key with this scope may, where its owner's role may. Without it, no key may. */
  scope?: Scope;
}

/** Who may do what. Reading pets, logging in and logging out go for everybody, and are not asked about. */
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
