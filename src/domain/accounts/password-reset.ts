import { isStaff, type Access, type Actor, type Role } from '../access.ts';
import { stampOf, type Stamp } from '../audit.ts';
import { Failure } from '../failure.ts';
import { linkLifetimeMs } from '../mail/mail.ts';
import type { Clock } from '../ports.ts';
import type { AccountEmail } from './account-email.ts';
import type { AccountWrites } from './account-writes.ts';
import type { AttemptThrottle } from './attempt-throttle.ts';
import type { FreshProof } from './fresh-proof.ts';
import type { KnownDevices } from './known-devices.ts';
import type { MailLimits } from './mail-limits.ts';
import { getAccount, viewOf } from './own-account.ts';
import type { PasswordRules } from './password-rules.ts';
import type { PasswordHasher, Tokens, UserStore } from './ports.ts';
import type { Client } from './session.ts';
import { USER_STATUS_ACTIVE } from './user.ts';

interface PasswordResetDeps {
  access: Access;
  freshProof: FreshProof;
  users: Pick<UserStore, 'find' | 'findReset'>;
  writes: AccountWrites;
  passwords: PasswordHasher;
  rules: PasswordRules;
  attempts: AttemptThrottle;
  tokens: Tokens;
  clock: Clock;
  email: Pick<AccountEmail, 'isOn' | 'sendInvitation'>;
  mailLimits: MailLimits;
  /** Undefined if the service sends no e-mail. */
  devices: KnownDevices | undefined;
}

export interface Invitation {
  username: string;
  role: Role;
  /** The link is sent to it, if the service sends e-mail. */
  email?: string | undefined;
}

/** Shown once to the administrator, who passes it on. Only the digest of the token is stored. */
export interface ResetLink {
  token: string;
  expiresAtMs: number;
  /** Whether the user has not accepted the invitation yet, and so has no password. */
  isInvitation: boolean;
}

export interface SentLink {
  sentTo: string;
  /** When the link expires if it is sent immediately. */
  expiresAtMs: number;
}

/** Sets first and forgotten passwords with a link that works once: an administrator passes it on, or it is sent. */
export class PasswordReset {
  readonly #deps: PasswordResetDeps;

  constructor(deps: PasswordResetDeps) {
    this.#deps = deps;
  }

  /**
   * Creates an account without a password, and the link with which the user chooses one. With an e-mail address, the
   * link is sent there instead of being returned: whoever uses it has read the message.
   *
   * @throws Failure `conflict`, `invalid-input` for an invalid address; `forbidden` for an editor or administrator if
   *   the session was not proved recently
   */
  async invite(actor: Actor, { username, role, email }: Invitation, language: string): Promise<ResetLink | SentLink> {
    const { access, mailLimits, freshProof } = this.#deps;
    access(actor, 'administer');
    if (email !== undefined) mailLimits.requireAddress(email, '/email');
    if (isStaff(role)) await freshProof.require(actor);
    const { stamp, digest, token, expiresAtMs } = this.#newLink(actor, true);
    const profile = { username, email, userStatus: USER_STATUS_ACTIVE };
    const sentTo = this.#deps.email.isOn ? email : undefined;
    if (sentTo !== undefined) await mailLimits.spend('invitation', sentTo, actor);
    const way = sentTo === undefined ? { invitation: { digest, expiresAtMs } } : { invitationMail: { language } };
    const accounts = [{ publicId: undefined, profile, role, passwordHash: undefined, ...way }];
    await this.#deps.writes.changeUser({ kind: 'create', accounts, isList: false, stamp });
    return sentTo === undefined ? { token, expiresAtMs, isInvitation: true } : { sentTo, expiresAtMs };
  }

  /** Sends an invitation by e-mail again. @throws Failure `not-found`, and as `AccountEmail.sendInvitation` */
  async resendInvitation(actor: Actor, username: string, language: string): Promise<void> {
    const { access, users, email } = this.#deps;
    access(actor, 'administer');
    await email.sendInvitation(actor, await getAccount(users, username), language);
  }

  /**
   * Creates a reset link, which replaces an earlier one of the same account.
   * @throws Failure `not-found`; `forbidden` if the session was not proved recently: the link is a way into the account
   */
  async issueLink(actor: Actor, username: string): Promise<ResetLink> {
    this.#deps.access(actor, 'administer');
    await this.#deps.freshProof.require(actor);
    const { isInvited: isInvitation } = viewOf(await getAccount(this.#deps.users, username));
    const { stamp, digest, ...link } = this.#newLink(actor, isInvitation);
    const { expiresAtMs } = link;
    await this.#deps.writes.changeUser({ kind: 'issue-reset', username, isInvitation, digest, expiresAtMs, stamp });
    return { ...link, isInvitation };
  }

  #newLink(actor: Actor, isInvitation: boolean): Omit<ResetLink, 'isInvitation'> & { digest: string; stamp: Stamp } {
    const { tokens, clock } = this.#deps;
    const token = tokens.create();
    const stamp = stampOf(actor, clock());
    return { token, digest: tokens.digest(token), expiresAtMs: stamp.atMs + linkLifetimeMs(isInvitation), stamp };
  }

  /**
   * Sets a new password, ends all sessions of the account, revokes its keys, and invalidates the link. It begins no
   * session: a login with the new password does, with the rules for second factors.
   *
   * @returns the user name
   * @throws Failure `invalid-input` for an invalid link, or a password against the rules, after which the link is still
   *   valid; `too-many-requests`
   */
  async resetPassword(client: Client, token: string, newPassword: string, language: string): Promise<string> {
    const { users, writes, passwords, rules, attempts, tokens, clock, devices } = this.#deps;
    const digest = tokens.digest(token);
    const stampNow = () => ({ ...stampOf({ kind: 'anonymous', ...client }, clock()), via: 'reset-link' }) as const;
    const { username, id } = await attempts.tryReset(
      client.address,
      async (fail) => {
        const username = await users.findReset(digest, clock());
        if (username === undefined) {
          const action = 'account.password-reset';
          return fail({ stamp: stampNow(), action, subject: null, outcome: 'failed', details: null });
        }
        rules.check(newPassword, username, '/newPassword');
        const passwordHash = await passwords.hash(newPassword);
        const change = { kind: 'use-reset', digest, passwordHash, language, stamp: stampNow() } as const;
        const [id] = await writes.changeUser(change).catch(asInvalidLink);
        return { username, id };
      },
      invalidLink,
    );
    // The owner, who is about to log in, need not be told of this device.
    if (id !== undefined) await devices?.remember(id, client);
    return username;
  }
}

export function resetLinkNotFound(): Failure {
  return new Failure('not-found', 'Reset link not found');
}

function invalidLink(): Failure {
  return new Failure(
    'invalid-input',
    'The reset link is invalid or has expired: it works once and for a limited time. Ask an administrator for a ' +
      'new one.',
  );
}

/** For a link that was used while this request was checked. */
function asInvalidLink(error: unknown): never {
  throw error instanceof Failure && error.code === 'not-found' ? invalidLink() : error;
}
