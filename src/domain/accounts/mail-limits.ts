import { FEATURE_MAIL_LIMITS } from '../../features/names.ts';
import { isStaff, type Actor } from '../access.ts';
import { Failure, invalidInput } from '../failure.ts';
import { ADDRESS_RULE, isMailAddress, isPublicHost, mailboxKey } from '../mail/mail-address.ts';
import type { MailKind } from '../mail/mail.ts';
import type { Clock } from '../ports.ts';
import { networkOf, wideNetworkOf } from './attempt-throttle.ts';
import type { Tokens } from './ports.ts';
import { counterOf, findUsedUp, limitOf, type Limit, type LimitStore, type Quota } from './throttle.ts';

/*
 * Limits of the messages that requests cause, in one place: by mailbox, network, account, and in total. They are stored
 * in the database, so all nodes have the same ones.
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** All messages of one kind. */
const IN_TOTAL = limitOf(1000, DAY_MS);

/** All kinds, caused by one IPv4 address or IPv6 /64. */
const OF_NETWORK = limitOf(20, HOUR_MS);

/** All kinds, caused by an editor or administrator. */
const OF_STAFF = limitOf(200, DAY_MS);

/** One kind, to one mailbox. */
const OF_MAILBOX = limitOf(20, DAY_MS);

/**
 * Of these, caused by one account or wide network: fewer, so that one client cannot keep another person from getting
 * messages.
 */
const OF_SENDER = limitOf(10, DAY_MS);
const LINKS_OF_SENDER = [limitOf(5, HOUR_MS), OF_SENDER];

interface Rule {
  /** `OF_SENDER` by default. */
  ofSender?: readonly Limit[];
  /**
   * The response does not show that the mailbox has got too many: it would show that others have asked for the address.
   * The last link still works.
   */
  isHidden?: boolean;
}

/** The kinds of messages that a request causes. Each is limited on its own. */
const RULES = {
  'password-reset': { ofSender: LINKS_OF_SENDER, isHidden: true },
  ...FEATURE_MAIL_LIMITS,
  'email-confirmation': { ofSender: LINKS_OF_SENDER },
  invitation: { ofSender: LINKS_OF_SENDER },
  test: { ofSender: [] },
} as const satisfies Partial<Record<MailKind, Rule>>;

export type LimitedMail = keyof typeof RULES;

interface MailLimitsDeps {
  limits: LimitStore;
  tokens: Pick<Tokens, 'digest'>;
  clock: Clock;
  /** Whether the mail server delivers to domains that are not public. */
  isLocalServer: () => boolean;
}

export class MailLimits {
  readonly #deps: MailLimitsDeps;

  constructor(deps: MailLimitsDeps) {
    this.#deps = deps;
  }

  /** Whether the mail server may get messages to the address. */
  reaches(email: string): boolean {
    return this.#faultOf(email) === undefined;
  }

  /** @throws Failure `invalid-input` without an address that the mail server may get messages to */
  requireAddress(email: string | undefined, path: string): string {
    const message = this.#faultOf(email ?? '');
    if (email === undefined || message !== undefined) throw invalidInput([{ path, message: message ?? ADDRESS_RULE }]);
    return email;
  }

  /**
   * Counts a message that the actor causes.
   *
   * @returns false if nothing may be sent, which the response must not show
   * @throws Failure `too-many-requests`; `unavailable` at the limit of all clients
   */
  async spend(kind: LimitedMail, recipient: string, actor: Actor): Promise<boolean> {
    const ofSender = this.#quotasOfSender(kind, actor);
    const ofMailbox = this.#quotasOfMailbox(kind, recipient, actor);
    const { isHidden = false }: Rule = RULES[kind];
    const change = {
      kind: 'spend',
      quotas: isHidden ? ofSender : [...ofSender, ...ofMailbox],
      hidden: isHidden ? ofMailbox : [],
      nowMs: this.#deps.clock(),
    } as const;
    return (await this.#deps.limits.apply(change)) > 0;
  }

  /** Like `spend`, for a message that need not be sent. */
  async trySpend(kind: LimitedMail, recipient: string, actor: Actor): Promise<boolean> {
    return this.spend(kind, recipient, actor).catch((error: unknown) => {
      if (error instanceof Failure && (error.code === 'too-many-requests' || error.code === 'unavailable'))
        return false;
      throw error;
    });
  }

  /**
   * Whether the sender may cause another message, unless its mailbox has too many. Counts nothing, and shows nothing of
   * mailboxes.
   */
  async hasRoom(kind: LimitedMail, actor: Actor): Promise<boolean> {
    const { limits, clock } = this.#deps;
    return (await findUsedUp(limits, this.#quotasOfSender(kind, actor), clock())) === undefined;
  }

  #quotasOfSender(kind: LimitedMail, actor: Actor): readonly Quota[] {
    const total = { ...this.#quota(IN_TOTAL, ['total', kind]), name: undefined };
    if (actor.kind === 'operator') return [total];
    if ('role' in actor && isStaff(actor.role)) return [this.#quota(OF_STAFF, ['account', `${actor.userId}`]), total];
    return [
      this.#quota(OF_NETWORK, ['network', networkOf(actor.address)]),
      { ...this.#quota(IN_TOTAL, ['network', wideNetworkOf(actor.address), kind]), shareOf: total },
      total,
    ];
  }

  #quotasOfMailbox(kind: LimitedMail, recipient: string, actor: Actor): readonly Quota[] {
    const mailbox = mailboxKey(recipient);
    const sender = senderOf(actor);
    const { ofSender = [OF_SENDER] }: Rule = RULES[kind];
    return [
      ...ofSender.map((limit) => this.#quota(limit, ['sender', kind, mailbox, sender, `${limit.forgetAfterMs}`])),
      this.#quota(OF_MAILBOX, ['mailbox', kind, mailbox]),
    ];
  }

  /** The key is a digest, because counts are kept longer than what is erased. */
  #quota(limit: Limit, parts: readonly string[]): Quota {
    const message = 'Too many messages were sent. Try again later.';
    return { ...counterOf(this.#deps.tokens, limit, 'mail', ...parts), name: 'mail', message };
  }

  #faultOf(email: string): string | undefined {
    if (!isMailAddress(email)) return ADDRESS_RULE;
    if (this.#deps.isLocalServer() || isPublicHost(email.slice(email.indexOf('@') + 1))) return undefined;
    return 'must have a domain that exists on the internet';
  }
}

function senderOf(actor: Actor): string {
  if (actor.kind === 'operator') return '';
  return 'userId' in actor ? `${actor.userId}` : wideNetworkOf(actor.address);
}
