import type { Access, Actor, Anonymous } from '../access.ts';
import { stampOf } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { Guessing } from './guessing.ts';
import type { PasswordRules } from './password-rules.ts';
import type { PasswordHasher, Tokens, UserStore } from './ports.ts';

export interface PasswordResetNeeds {
  access: Access;
  users: UserStore;
  passwords: PasswordHasher;
  rules: PasswordRules;
  guessing: Guessing;
  tokens: Tokens;
  clock: Clock;
  /** How long a link can be used. */
  linkLifetimeMs: number;
}

/** Shown once, to the administrator who passes it on; only the digest of the token is kept. */
export interface ResetLink {
  token: string;
  expiresAtMs: number;
}

export type PasswordReset = ReturnType<typeof createPasswordReset>;

/** A way back in for those who forgot their password, without e-mail: an administrator hands them a link that works once. */
export function createPasswordReset(needs: PasswordResetNeeds) {
  const { access, users, passwords, rules, guessing, tokens, clock, linkLifetimeMs } = needs;

  return {
    /** Takes the place of an earlier link for the same account. @throws Failure `not-found` */
    async issueLink(actor: Actor, username: string): Promise<ResetLink> {
      access(actor, 'administer');
      const token = tokens.create();
      const stamp = stampOf(actor, clock());
      const expiresAtMs = stamp.atMs + linkLifetimeMs;
      await users.apply({ kind: 'issue-reset', username, digest: tokens.digest(token), expiresAtMs, stamp });
      return { token, expiresAtMs };
    },

    /**
     * Sets a password with a link, which is used up by it, ends all sessions of the account, and revokes its keys.
     *
     * @throws Failure `invalid-input` for a link that is not valid any more, or a password that is not good enough; then the link still works
     */
    async resetPassword(actor: Anonymous, token: string, newPassword: string): Promise<void> {
      const digest = tokens.digest(token);
      await guessing.tryReset(
        actor.address,
        async (fail) => {
          const username = await users.findReset(digest, clock());
          if (username === undefined) {
            const stamp = { ...stampOf(actor, clock()), via: 'reset-link' } as const;
            return fail({ stamp, action: 'account.password-reset', subject: null, outcome: 'failed', details: null });
          }
          rules.check(newPassword, username, '/newPassword');
          const passwordHash = await passwords.hash(newPassword);
          const stamp = { ...stampOf(actor, clock()), via: 'reset-link' } as const;
          return users.apply({ kind: 'use-reset', digest, passwordHash, stamp }).catch(asInvalidLink);
        },
        invalidLink,
      );
    },
  };
}

export function resetLinkNotFound(): Failure {
  return new Failure('not-found', 'There is no such link.');
}

function invalidLink(): Failure {
  return new Failure(
    'invalid-input',
    'This link is not valid, or not any more: it works once, and for a limited time. Ask an administrator for another.',
  );
}

/** Somebody used it a moment earlier. */
function asInvalidLink(error: unknown): never {
  throw error instanceof Failure && error.code === 'not-found' ? invalidLink() : error;
}
