import { stampOf, type Stamp } from '../audit.ts';
import type { MailActivity } from '../activity.ts';
import type { Clock } from '../ports.ts';
import type { AccountAlert, MailKind, QueuedMail } from './mail.ts';
import type {
  AddressStore,
  ConfirmedAddress,
  EnquiryMailSource,
  MailContent,
  MailedAccount,
  Mailer,
  MailOutcome,
  MailStore,
  OfferedLink,
  SearchMailWriter,
} from './ports.ts';

interface MailDispatcherDeps {
  mail: MailStore;
  addresses: AddressStore;
  enquiryMail: EnquiryMailSource;
  mailer: Mailer;
  /** Creates tokens, and the digests in which they are stored. */
  tokens: { create(): string; digest(token: string): string };
  clock: Clock;
  /** How long another process leaves a claimed message alone: longer than an attempt takes. */
  claimMs: number;
  linkLifetimeMs: number;
  /** The public URL of the service. */
  siteUrl: string;
  siteName: () => Promise<string>;
  searchMail: SearchMailWriter;
  activity: MailActivity;
  onTrouble: (error: unknown) => void;
  /** Called when a message is not tried again. */
  onGivenUp: (kind: MailKind) => void;
}

/** `stopping` ends the sending after the current messages, and `aborting` ends these as well. */
interface Signals {
  stopping: AbortSignal;
  aborting: AbortSignal;
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
const BATCH = 4;

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

  constructor(deps: MailDispatcherDeps) {
    this.#deps = deps;
  }

  /** Sends the messages that are due, until none is left. */
  async dispatch({ stopping, aborting }: Signals): Promise<void> {
    const { mail, clock, claimMs } = this.#deps;
    while (!stopping.aborted) {
      const nowMs = clock();
      if (!(await mail.hasDue(nowMs))) return;
      const claimed = await mail.apply({ kind: 'claim', nowMs, untilMs: nowMs + claimMs, limit: BATCH });
      if (claimed.length === 0) return;
      await Promise.all(claimed.map((each) => this.#sendOne(each, aborting)));
    }
  }

  async #sendOne(queued: QueuedMail, signal: AbortSignal): Promise<void> {
    const { mail, activity, onTrouble } = this.#deps;
    try {
      const prepared = await this.#prepare(queued);
      if (prepared === undefined) {
        activity.dropped++;
        await mail.apply({ kind: 'done', id: queued.id });
      } else await this.#report(queued, await this.#send(queued, prepared, signal), signal);
    } catch (error) {
      // The message stays claimed, and is tried again after that time.
      onTrouble(error);
    }
  }

  async #send({ id }: QueuedMail, prepared: Prepared, signal: AbortSignal): Promise<MailOutcome> {
    const startMs = performance.now();
    const outcome = await this.#deps.mailer.send({ id, atMs: this.#deps.clock(), ...prepared }, signal);
    this.#deps.activity.durations.addSince(startMs);
    return outcome;
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
    await mail.apply({ kind: 'failed', id, nextAtMs: nowMs + delayMs, isDead, error: outcome.answer });
    if (isDead) {
      activity.dead++;
      onGivenUp(kind);
    } else activity.failed++;
  }

  /** Returns undefined if the message must not be sent any more, for instance because its account was deleted. */
  async #prepare(queued: QueuedMail): Promise<Prepared | undefined> {
    const { kind, accountId, recipient } = queued;
    if (kind === 'password-reset') return this.#prepareReset(queued);
    if (kind === 'test') return { recipient, content: await this.#contentOf(queued, []) };
    if (kind === 'enquiry' || kind === 'enquiry-received' || kind === 'enquiry-answer')
      return this.#prepareEnquiry(queued);
    if (kind === 'search-confirmation' || kind === 'search-matches') return this.#prepareSearch(queued);
    const account = accountId === null ? undefined : await this.#deps.addresses.find(accountId);
    if (account === undefined) return undefined;
    if (kind === 'alert') {
      const content = await this.#contentOf(queued, [{ username: account.username }], account.confirmed);
      return { recipient, content: { ...content, alert: queued.details['alert'] as AccountAlert } };
    }
    const purpose = kind === 'invitation' ? kind : 'confirmation';
    const link = await this.#offer(queued, account, purpose, recipient);
    if (link === undefined) return undefined;
    return { recipient, content: await this.#contentOf(queued, [{ username: account.username, link }]) };
  }

  async #prepareEnquiry(queued: QueuedMail): Promise<Prepared | undefined> {
    const mail = await this.#deps.enquiryMail.prepare(queued);
    if (mail === undefined) return undefined;
    const { language = queued.details['language'], replyTo, facts: enquiry } = mail;
    const content = { ...(await this.#contentOf(queued, [])), language, enquiry };
    return { recipient: queued.recipient, replyTo, content };
  }

  async #prepareSearch(queued: QueuedMail): Promise<Prepared | undefined> {
    const search = await this.#deps.searchMail.contentOf(queued);
    if (search === undefined) return undefined;
    const content = await this.#contentOf(queued, []);
    return { recipient: queued.recipient, content: { ...content, expiresAtMs: search.expiresAtMs, search } };
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
    const { addresses, tokens, clock, siteUrl, linkLifetimeMs } = this.#deps;
    const token = tokens.create();
    const stamp = requestedBy(details, clock());
    const link = { purpose, accountId, email, digest: tokens.digest(token), expiresAtMs: stamp.atMs + linkLifetimeMs };
    const offered = await addresses.apply({ kind: 'offer', link: { ...link, stamp } });
    return offered === 0 ? undefined : `${siteUrl}${PAGES[purpose]}${token}`;
  }

  async #contentOf(
    { kind, details }: QueuedMail,
    accounts: MailContent['accounts'],
    confirmed?: ConfirmedAddress,
  ): Promise<MailContent> {
    const { clock, siteUrl, siteName, linkLifetimeMs } = this.#deps;
    return {
      kind,
      language: confirmed?.language ?? details['language'],
      siteName: await siteName(),
      siteUrl,
      accounts,
      expiresAtMs: clock() + linkLifetimeMs,
      details,
    };
  }
}

/** The anonymous author of a request for a link. */
function requestedBy({ address }: QueuedMail['details'], atMs: number): Stamp {
  return { ...stampOf({ kind: 'anonymous', address: address ?? '' }, atMs), address: address ?? null };
}
