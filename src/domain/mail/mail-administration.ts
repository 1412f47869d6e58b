import type { Access, Actor } from '../access.ts';
import type { Clock } from '../ports.ts';
import { stampOf } from '../audit.ts';
import { MAX_DEAD_MAIL } from './mail.ts';
import { noMail, type MailBell } from './mail-bell.ts';
import type { DeadMail, Mailer, MailOutcome, MailQueueState, MailSite, MailStore } from './ports.ts';

interface MailAdministrationDeps {
  access: Access;
  mail: MailStore;
  mailer: Mailer;
  bell: MailBell;
  mailLimits: {
    requireAddress(email: string, path: string): void;
    spend(kind: 'test', recipient: string, actor: Actor): Promise<boolean>;
  };
  readSite: () => Promise<MailSite>;
  siteUrl: string;
  clock: Clock;
}

/** Every operation requires the permission `administer`. */
export class MailAdministration {
  readonly #deps: MailAdministrationDeps;

  constructor(deps: MailAdministrationDeps) {
    this.#deps = deps;
  }

  /** The state of the queue; undefined if the service sends no e-mail. */
  async readState(actor: Actor): Promise<MailQueueState | undefined> {
    const { access, mail, bell } = this.#deps;
    access(actor, 'administer');
    return bell.isOn ? mail.readState() : undefined;
  }

  /**
   * Sends a message now, and returns the response of the server.
   * @throws Failure `conflict` if the service sends no e-mail, `invalid-input` if it is no address, `too-many-requests`
   */
  async test(actor: Actor, recipient: string, language: string): Promise<MailOutcome> {
    const { access, mailer, bell, mailLimits, readSite, siteUrl, clock } = this.#deps;
    access(actor, 'administer');
    if (!bell.isOn) throw noMail();
    mailLimits.requireAddress(recipient, '/to');
    await mailLimits.spend('test', recipient, actor);
    const content = { kind: 'test', language, ...(await readSite()), siteUrl, accounts: [], details: {} } as const;
    const message = { id: crypto.randomUUID(), recipient, atMs: clock(), content };
    return mailer.send(message, new AbortController().signal);
  }

  /** The messages that could not be sent, at most `MAX_DEAD_MAIL`, the newest first. */
  async listDead(actor: Actor): Promise<readonly DeadMail[]> {
    this.#deps.access(actor, 'administer');
    return this.#deps.mail.listDead(MAX_DEAD_MAIL);
  }

  /** Tries a dead message again, as often as a new one. @throws Failure `not-found`, `conflict` without e-mail */
  async retry(actor: Actor, id: string): Promise<void> {
    const { access, mail, bell, clock } = this.#deps;
    access(actor, 'administer');
    if (!bell.isOn) throw noMail();
    await mail.apply({ kind: 'retry', id, stamp: stampOf(actor, clock()) });
    bell.ring();
  }

  /** Tries the messages that wait now. @throws Failure `conflict` without e-mail */
  async retryWaiting(actor: Actor): Promise<void> {
    const { access, mail, bell, clock } = this.#deps;
    access(actor, 'administer');
    if (!bell.isOn) throw noMail();
    await mail.apply({ kind: 'retry-waiting', stamp: stampOf(actor, clock()) });
    bell.ring();
  }

  /** @throws Failure `not-found` */
  async delete(actor: Actor, id: string): Promise<void> {
    const { access, mail, clock } = this.#deps;
    access(actor, 'administer');
    await mail.apply({ kind: 'delete', id, stamp: stampOf(actor, clock()) });
  }
}
