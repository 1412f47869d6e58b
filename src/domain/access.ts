import { Failure } from './failure.ts';

/** How the service is reached, and so whom it lets in (CONTRACT: open is not reachable, reachable is not open). */
export const ACCESS_MODES = ['open', 'secured', 'sandbox'] as const;

export type AccessMode = (typeof ACCESS_MODES)[number];

export const ROLES = ['viewer', 'editor', 'admin'] as const;

export type Role = (typeof ROLES)[number];

/** Who is asking. */
export type Actor = Anonymous | SignedIn;

export interface Anonymous {
  kind: 'anonymous';
}

export interface SignedIn {
  kind: 'signed-in';
  userId: bigint;
  username: string;
  role: Role;
}

export const ANONYMOUS: Anonymous = { kind: 'anonymous' };

export type Action = 'write pets' | 'create users' | 'use account';

/** May this actor do this? `ownAccount` says whether the account in question is the actor's own. */
export type Access = (actor: Actor, action: Action, ownAccount?: boolean) => void;

const MAY: Record<Action, (role: Role, ownAccount: boolean) => boolean> = {
  'write pets': (role) => role !== 'viewer',
  'create users': (role) => role === 'admin',
  'use account': (role, ownAccount) => ownAccount || role === 'admin',
};

/**
 * The one place that says who may do what. In open and sandbox mode everybody may; there, what keeps strangers out is where the service listens.
 *
 * Reading pets, signing up and signing in need no permission and are not asked about here.
 *
 * @throws Failure `unauthenticated` for somebody unknown, `forbidden` for somebody known who may not
 */
export function createAccess(mode: AccessMode): Access {
  if (mode !== 'secured') return () => {};
  return (actor, action, ownAccount = false) => {
    if (actor.kind === 'anonymous') {
      throw new Failure('unauthenticated', 'Log in first, or send an API key that may do this.');
    }
    if (!MAY[action](actor.role, ownAccount)) {
      throw new Failure('forbidden', 'Your account may not do this.');
    }
  };
}
