import { stampOf, type Stamp } from '../audit.ts';
import type { MailActivity } from '../activity.ts';
import type { Clock } from '../ports.ts';
import { isAccountAlert, isKnownMail, isOfFeature, linkLifetimeMs, type MailKind, type QueuedMail } from './mail.ts';
import type {
  AddressStore,
  ConfirmedAddress,
  FeatureMail,
  MailContent,
  MailedAccount,
  Mailer,
  MailOutcome,
  MailSite,
  MailStore,
  OfferedLink,
} from './ports.ts';

interface MailDispatcherDeps {
  mail: MailStore;
  addresses: AddressStore;
  mailer: Mailer;
  tokens: { create(): string; digest(token: string): string };
  clock: Clock;
  /** How long another process leaves a claimed message alone: longer than an attempt takes. */
  claimMs: number;
  /** The public URL of the service. */
  siteUrl: string;
  readSite: () => Promise<MailSite>;
  /** Whether the server can deliver messages to the address. Others are dropped. */
  reaches: (email: string) => boolean;
  /** Whether user names may be texts of anyone. */
  mayEveryoneRename: boolean;
  featureMail: FeatureMail;
  activity: MailActivity;
  /** Called after each message: another one can be sent. */
  onSent: () => void;
  onTrouble: (error: unknown) => void;
  /** Called when messages begin to fail, and when one is sent again. */
  onOutage: (error: string) => void;
  onRecovered: (failedForMs: number) => void;
  /** Called when a message is not tried again. */
  onGivenUp: (kind: MailKind) => void;
}

/** A message that is about to be sent. */
interface Prepared {
  recipient: string;
  replyTo?: string | undefined;
  content: MailContent;
}

const MINUTE_MS = 60_000;

/** The wait after the first failed attempt; it doubles with each further one. */
const FIRST_RETRY_MS = MINUTE_MS;
const MAX_RETRY_MS = 6 * 60 * MINUTE_MS;

/** A message that could not be sent for this time is dead. */
const GIVE_UP_MS = 2 * 24 * 60 * MINUTE_MS;

/** Messages sent concurrently, each over its own connection. */
const MAX_CONNECTIONS = 4;

/** Messages that are sent without a failure before one more connection is tried. */
const SENT_BEFORE_MORE = 20;

/** Maximum number of accounts with one address that a password reset lists. */
const MAX_ACCOUNTS = 10;

/** The pages that links open; the token follows the #, which browsers do not send. */
const PAGES = {
  confirmation: '/confirm-email#',
  reset: '/reset-password#',
  invitation: '/reset-password?for=invitation#',
} as const satisfies Record<OfferedLink['purpose'], string>;

/** Sends queued messages. Links are created here, so that their tokens are only in the message. */
export class MailDispatcher {
  readonly #deps: MailDispatcherDeps;
  readonly #sending = new Set<Promise<void>>();
  /** Fewer after a failure: a server may refuse further connections, also that of an urgent message. */
  #connections = MAX_CONNECTIONS;
  #sentSinceFailure = 0;
  /** Undefined while messages are sent. */
  #failingSinceMs: number | undefined;

  constructor(deps: MailDispatcherDeps) {
    this.#deps = deps;
  }

  /**
   * Starts to send messages that are due, as many as there are free connections. Further ones are claimed when one of
   * these was sent, so that a message with a higher priority waits for one message only.
   */
  async dispatch(signal: AbortSignal): Promise<void> {
    const { mail, clock, claimMs, onSent } = this.#deps;
    const free = this.#connections - this.#sending.size;
    const nowMs = clock();
    if (free <= 0 || !(await mail.hasDue(nowMs))) return;
    const claimed = await mail.apply({ kind: 'claim', nowMs, untilMs: nowMs + claimMs, limit: free });
    for (const each of claimed.filter(isKnownMail)) {
      const sending = this.#sendOne(each, signal).finally(() => {
        this.#sending.delete(sending);
        onSent();
      });
      this.#sending.add(sending);
    }
  }

  /** Waits for the messages that are being sent. */
  async finish(): Promise<void> {
    await Promise.all(this.#sending);
  }

  async #sendOne(queued: QueuedMail, signal: AbortSignal): Promise<void> {
    const { mail, activity, onTrouble } = this.#deps;
    try {
      const unknown = unknownPartOf(queued);
      if (unknown !== undefined) {
        await this.#report(queued, { kind: 'failed', answer: unknown }, signal);
        return;
      }
      const prepared = await this.#prepare(queued);
      if (prepared === undefined || !this.#isDeliverable(prepared)) {
        activity.dropped++;
        await mail.apply({ kind: 'done', id: queued.id });
      } else await this.#report(queued, await this.#send(queued, prepared, signal), signal);
    } catch (error) {
      // The message stays claimed, and is tried again after that time.
      onTrouble(error);
    }
  }

  #isDeliverable({ recipient, content }: Prepared): boolean {
    return content.ofFeature?.isToShelter === true || this.#deps.reaches(recipient);
  }

  async #send({ id }: QueuedMail, prepared: Prepared, signal: AbortSignal): Promise<MailOutcome> {
    const startMs = performance.now();
    const outcome = await this.#deps.mailer.send({ id, atMs: this.#deps.clock(), ...prepared }, signal);
    this.#deps.activity.durations.addSince(startMs);
    this.#adjustConnections(outcome);
    if (outcome.kind === 'failed' && !signal.aborted) this.#beginOutage(outcome.answer);
    if (outcome.kind === 'sent') await this.#recover();
    return outcome;
  }

  #adjustConnections({ kind }: MailOutcome): void {
    if (kind === 'failed') {
      this.#connections = Math.max(1, this.#sending.size - 1);
      this.#sentSinceFailure = 0;
    } else if (++this.#sentSinceFailure % SENT_BEFORE_MORE === 0)
      this.#connections = Math.min(MAX_CONNECTIONS, this.#connections + 1);
  }

  async #report(
    { id, kind, createdAtMs, attempts }: QueuedMail,
    outcome: MailOutcome,
    signal: AbortSignal,
  ): Promise<void> {
    const { mail, clock, activity, onGivenUp } = this.#deps;
    if (outcome.kind === 'sent') {
      activity.sent++;
      await mail.apply({ kind: 'done', id });
      return;
    }
    const nowMs = clock();
    const delayMs = signal.aborted ? 0 : Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1));
    const isDead = outcome.kind === 'refused' || nowMs + delayMs > createdAtMs + GIVE_UP_MS;
    const nextAtMs = isDead ? nowMs : nowMs + delayMs;
    await mail.apply({ kind: 'failed', id, nextAtMs, isDead, error: outcome.answer });
    if (isDead) {
      activity.dead++;
      onGivenUp(kind);
    } else activity.failed++;
  }

  #beginOutage(error: string): void {
    if (this.#failingSinceMs !== undefined) return;
    this.#failingSinceMs = this.#deps.clock();
    this.#deps.onOutage(error);
  }

  /** The others do not wait for the time of their next attempt, which is up to hours away. */
  async #recover(): Promise<void> {
    if (this.#failingSinceMs === undefined) return;
    const nowMs = this.#deps.clock();
    this.#deps.onRecovered(nowMs - this.#failingSinceMs);
    this.#failingSinceMs = undefined;
    await this.#deps.mail.apply({ kind: 'hasten', nowMs });
  }

  /** Returns undefined if the message must not be sent any more, for instance because its account was deleted. */
  async #prepare(queued: QueuedMail): Promise<Prepared | undefined> {
    const { kind } = queued;
    if (isOfFeature(kind)) return this.#prepareFeature(queued);
    switch (kind) {
      case 'password-reset':
        return this.#prepareReset(queued);
      case 'test':
        return { recipient: queued.recipient, content: await this.#contentOf(queued, []) };
      case 'alert':
        return this.#prepareAlert(queued);
      case 'certificate-failed':
      case 'invitation':
        return this.#prepareLink(queued, 'invitation');
      case 'email-confirmation':
        break;
    }
    return this.#prepareLink(queued, 'confirmation');
  }

  async #prepareAlert(queued: QueuedMail): Promise<Prepared | undefined> {
    const account = await this.#accountOf(queued);
    const { alert } = queued.details;
    if (account === undefined || !isAccountAlert(alert)) return undefined;
    const content = await this.#contentOf(queued, [{ username: account.username }], account.confirmed);
    return { recipient: queued.recipient, content: { ...content, alert } };
  }

  async #prepareLink(queued: QueuedMail, purpose: OfferedLink['purpose']): Promise<Prepared | undefined> {
    const account = await this.#accountOf(queued);
    const { recipient } = queued;
    const link = account && (await this.#offer(queued, account, purpose, recipient));
    if (account === undefined || link === undefined) return undefined;
    // The address is not confirmed, and a user name can be any text.
    const isNamed = purpose === 'invitation' && !this.#deps.mayEveryoneRename;
    const named = isNamed ? { username: account.username, link } : { link };
    return { recipient, content: await this.#contentOf(queued, [named]) };
  }

  async #accountOf({ accountId }: QueuedMail): Promise<MailedAccount | undefined> {
    return accountId === null ? undefined : this.#deps.addresses.find(accountId);
  }

  async #prepareFeature(queued: QueuedMail): Promise<Prepared | undefined> {
    const ofFeature = await this.#deps.featureMail[queued.kind]?.(queued);
    if (ofFeature === undefined) return undefined;
    const content = await this.#contentOf(queued, []);
    const { language = content.language, replyTo } = ofFeature;
    return { recipient: queued.recipient, replyTo, content: { ...content, language, ofFeature } };
  }

  /** The address that was typed may differ in case from the confirmed one, which is the only one that gets links. */
  async #prepareReset(queued: QueuedMail): Promise<Prepared | undefined> {
    const accounts: { username: string; link: string }[] = [];
    let confirmed: ConfirmedAddress | undefined;
    for (const account of await this.#deps.addresses.listConfirmed(queued.recipient, MAX_ACCOUNTS)) {
      if (account.confirmed === undefined) continue;
      const link = await this.#offer(queued, account, 'reset', account.confirmed.email);
      if (link === undefined) continue;
      confirmed ??= account.confirmed;
      accounts.push({ username: account.username, link });
    }
    if (confirmed === undefined) return undefined;
    return { recipient: confirmed.email, content: await this.#contentOf(queued, accounts, confirmed) };
  }

  /** Creates a link. @returns undefined if it is not wanted any more */
  async #offer(
    { details }: QueuedMail,
    { id: accountId }: MailedAccount,
    purpose: OfferedLink['purpose'],
    email: string,
  ): Promise<string | undefined> {
    const { addresses, tokens, clock, siteUrl } = this.#deps;
    const token = tokens.create();
    const stamp = requestedBy(details, clock());
    const link = {
      purpose,
      accountId,
      email,
      digest: tokens.digest(token),
      expiresAtMs: stamp.atMs + linkLifetimeMs(purpose === 'invitation'),
    };
    const offered = await addresses.apply({ kind: 'offer', link: { ...link, stamp } });
    return offered === 0 ? undefined : `${siteUrl}${PAGES[purpose]}${token}`;
  }

  async #contentOf(
    { kind, details }: QueuedMail,
    accounts: MailContent['accounts'],
    confirmed?: ConfirmedAddress,
  ): Promise<MailContent> {
    const { clock, siteUrl, readSite } = this.#deps;
    return {
      kind,
      language: confirmed?.language ?? details['language'],
      ...(await readSite()),
      siteUrl,
      accounts,
      expiresAtMs: clock() + linkLifetimeMs(kind === 'invitation'),
      details,
    };
  }
}

/** What a later version has queued, which has to send it: it is due again for all nodes after the usual wait. */
function unknownPartOf({ kind, details: { alert } }: QueuedMail): string | undefined {
  return kind === 'alert' && !isAccountAlert(alert) ? 'This version does not know the alert.' : undefined;
}

/** The anonymous author of a request for a link. */
function requestedBy({ address }: QueuedMail['details'], atMs: number): Stamp {
  return { ...stampOf({ kind: 'anonymous', address: address ?? '' }, atMs), address: address ?? null };
}
