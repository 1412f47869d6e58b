import type { Access, Actor, Anonymous } from '../access.ts';
import { accountSubject, done, stampOf, type AuditStore } from '../audit.ts';
import { Failure } from '../failure.ts';
import { personKey } from '../mail/mail-address.ts';
import { noMail, type MailBell } from '../mail/mail-bell.ts';
import type { AddressStore, MailStore } from '../mail/ports.ts';
import type { Clock } from '../ports.ts';
import type { AttemptThrottle } from './attempt-throttle.ts';
import type { Account, Tokens } from './ports.ts';
import type { FreshProof } from './fresh-proof.ts';
import { requireOwner, viewOf } from './own-account.ts';
import type { MailLimits } from './mail-limits.ts';
import { INVITATION } from './user.ts';

interface AccountEmailDeps {
  access: Access;
  mail: MailStore;
  addresses: AddressStore;
  audit: AuditStore;
  tokens: Tokens;
  attempts: AttemptThrottle;
  mailLimits: MailLimits;
  /** Undefined on the command line, which sends no e-mail. */
  bell: MailBell | undefined;
  freshProof: FreshProof;
  clock: Clock;
}

/**
 * E-mail addresses of accounts: confirmed addresses, and forgotten passwords. Requests throw Failure `conflict` if the
 * service sends no e-mail.
 */
export class AccountEmail {
  readonly #deps: AccountEmailDeps;

  constructor(deps: AccountEmailDeps) {
    this.#deps = deps;
  }

  /** Whether the service sends e-mail. */
  get isOn(): boolean {
    return this.#deps.bell?.isOn === true;
  }

  /**
   * Sends a link to the address in the profile of the user. Afterwards, it receives links for new passwords: access to
   * an open browser must not be enough for that.
   *
   * @throws Failure `unauthenticated`; `forbidden` if the session was not proved recently; `invalid-input` without a
   *   valid address; `too-many-requests`
   */
  async requestConfirmation(actor: Actor, language: string): Promise<void> {
    const { access, mail, addresses, mailLimits, freshProof, clock, bell } = this.#deps;
    const owner = requireOwner(access, actor, 'use own account');
    this.#requireMail();
    await freshProof.require(owner);
    const account = await addresses.find(owner.userId);
    const email = mailLimits.requireAddress(account?.email, '/email');
    await mailLimits.spend('email-confirmation', email, owner);
    const link = { kind: 'email-confirmation', accountId: owner.userId, recipient: email } as const;
    await mail.apply({ kind: 'queue', mail: { ...link, details: { language } }, stamp: stampOf(owner, clock()) });
    bell?.ring();
  }

  /**
   * Whether a change of the address in a profile also sends a link to the new one. If not, the owner can request it.
   */
  async confirmsChange(actor: Actor, { id, user }: Account, email: string | undefined): Promise<boolean> {
    const { mailLimits, freshProof } = this.#deps;
    if (!this.isOn || email === undefined || !mailLimits.reaches(email)) return false;
    if (user.email !== undefined && personKey(user.email) === personKey(email)) return false;
    if (actor.kind !== 'signed-in') return false;
    if (actor.userId === id ? !freshProof.isFresh(actor) : actor.role !== 'admin') return false;
    return mailLimits.trySpend('email-confirmation', email, actor);
  }

  /** @throws Failure `invalid-input` for an invalid link, `too-many-requests` */
  async confirm(actor: Anonymous, token: string, language: string): Promise<void> {
    const { addresses, attempts, tokens, clock } = this.#deps;
    this.#requireMail();
    const digest = tokens.digest(token);
    await attempts.tryReset(
      actor.address,
      async (fail) => {
        const stamp = stampOf(actor, clock());
        try {
          await addresses.apply({ kind: 'confirm', digest, language, stamp });
        } catch (error) {
          if (!(error instanceof Failure) || error.code !== 'not-found') throw error;
          await fail({ stamp, action: 'account.email-confirmed', subject: null, outcome: 'failed', details: null });
        }
      },
      invalidLink,
    );
  }

  /**
   * Sends a link for a new password to every account with this confirmed address. The response and its timing are the
   * same if there is none: only the sender looks accounts up, and it is not woken.
   *
   * @throws Failure `invalid-input` if it is no address, `too-many-requests`, `unavailable`
   */
  async requestReset(actor: Anonymous, email: string, language: string): Promise<void> {
    const { mailLimits, mail, clock } = this.#deps;
    this.#requireMail();
    mailLimits.requireAddress(email, '/email');
    if (!(await mailLimits.spend('password-reset', email, actor))) return;
    const stamp = stampOf(actor, clock());
    const details = { language, address: actor.address, atMs: stamp.atMs.toString() };
    const request = { kind: 'password-reset', accountId: null, recipient: email, details } as const;
    await mail.apply({ kind: 'queue', mail: request, stamp });
  }

  /**
   * Sends an invitation again, to the address in the profile. An earlier link no longer works.
   *
   * @throws Failure `conflict` if the user has accepted it; `invalid-input` without a valid address;
   *   `forbidden` without a recent proof; `too-many-requests`
   */
  async sendInvitation(actor: Actor, account: Account, language: string): Promise<void> {
    const { access, mail, audit, mailLimits, freshProof, clock, bell } = this.#deps;
    access(actor, 'administer');
    this.#requireMail();
    await freshProof.require(actor);
    const { id, user } = account;
    if (!viewOf(account).isInvited) throw new Failure('conflict', 'The user has accepted the invitation.');
    const { username } = user;
    const email = mailLimits.requireAddress(user.email, '/email');
    await mailLimits.spend('invitation', email, actor);
    const stamp = stampOf(actor, clock());
    const invitation = { kind: 'invitation', accountId: id, recipient: email, details: { language } } as const;
    await mail.apply({ kind: 'queue', mail: invitation, stamp });
    const entry = done(stamp, 'account.reset-link-issued', accountSubject(id, username), INVITATION);
    await audit.apply({ kind: 'note', entry });
    bell?.ring();
  }

  #requireMail(): void {
    if (!this.isOn) throw noMail();
  }
}

function invalidLink(): Failure {
  return new Failure(
    'invalid-input',
    'The link is invalid or has expired: it works once and for a limited time. Request another one on your account page.',
  );
}
