import { whileClaimed, type ClaimRenewal } from '../../../domain/held-claim.ts';
import type { ChangeEvent } from '../../../domain/events/change-event.ts';
import type { ChangeFeed } from '../../../domain/events/ports.ts';
import type { DeliveryActivity } from './delivery-activity.ts';
import type { SendOutcome, WebhookSender, WebhookStore } from './ports.ts';
import { matchesPatterns, signingSecrets, webhookEvent, type FailedDelivery, type Webhook } from './webhook.ts';

/** `claimMs` is the duration of the lease of a webhook, which is renewed while a batch is sent. */
interface WebhookDispatcherDeps extends ClaimRenewal {
  webhooks: WebhookStore;
  feed: ChangeFeed;
  sender: WebhookSender;
  /** The unique id of this node. */
  node: string;
  /** The delay after each failed attempt. After a further failure, the delivery becomes a dead letter. */
  retryDelaysMs: readonly number[];
  bodyOf: (event: ChangeEvent, webhook: Webhook) => string;
  /** The ID of an event for receivers: that of no other event, also of another service. */
  idOf: (event: ChangeEvent) => Promise<string>;
  /** From 0 to 1. */
  random: () => number;
  activity: DeliveryActivity;
  onTrouble: (error: unknown) => void;
}

interface Delivery {
  event: ChangeEvent;
  /** The number of failed attempts. */
  attempts: number;
}

interface DueDeliveries {
  deliveries: readonly Delivery[];
  /** Versions whose events have been deleted since. */
  expired: readonly bigint[];
}

interface NewEvents {
  events: readonly ChangeEvent[];
  /** The version up to which these are all events for the webhook. */
  last: bigint;
}

/** The most events in a batch, whose outcomes are stored together. */
const BATCH = 100;

/** No delivery of a batch begins later: after a kill, all of them are sent again. */
const BATCH_MS = 1000;

/** Number of deliveries sent concurrently. */
const CONCURRENT = 16;

/** A webhook with this many deliveries to retry receives no new events, which stay in the history. */
const MAX_WAITING = 1000;

/** Spreads the retries of deliveries that failed together. */
const JITTER = 0.2;

/** A receiver cannot put off its deliveries for longer. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

const GONE = 410;

const NO_OUTCOME = { isDead: false, lastStatus: undefined, lastError: undefined, lastAtMs: 0 } as const;

/** Sends changes to webhooks, each at least once. */
export class WebhookDispatcher {
  readonly #deps: WebhookDispatcherDeps;
  readonly #pending = new Map<string, Promise<void>>();

  constructor(deps: WebhookDispatcherDeps) {
    this.#deps = deps;
  }

  /** Starts the deliveries that are due. @returns whether there are active webhooks */
  async dispatch(signal: AbortSignal): Promise<boolean> {
    const { webhooks, feed, clock } = this.#deps;
    const active = (await webhooks.list()).filter(({ state }) => state === 'active');
    if (active.length === 0) return false;
    const newest = await feed.lastVersion();
    for (const webhook of active) {
      const { id, lastVersion, waiting, nextDueMs = Infinity } = webhook;
      const isDue = nextDueMs <= clock() || (lastVersion < newest && waiting < MAX_WAITING);
      if (isDue && !this.#pending.has(id) && !signal.aborted) this.#start(webhook, signal);
    }
    return true;
  }

  /** Waits for pending deliveries, then releases the leases of this node. */
  async finish(): Promise<void> {
    const { webhooks, node } = this.#deps;
    await Promise.all(this.#pending.values());
    await webhooks.apply({ kind: 'release', node });
  }

  #start(webhook: Webhook, signal: AbortSignal): void {
    const deliveries = this.#deliverAll(webhook, signal)
      .catch((error: unknown) => {
        // The next node retries deliveries that were interrupted by a stop.
        if (!signal.aborted) this.#deps.onTrouble(error);
      })
      .finally(() => this.#pending.delete(webhook.id));
    this.#pending.set(webhook.id, deliveries);
  }

  /** Sends batches until no delivery is due, or another node has the lease. */
  async #deliverAll({ id }: Webhook, signal: AbortSignal): Promise<void> {
    const { webhooks, clock, node, claimMs } = this.#deps;
    const lease = async (nowMs: number) =>
      (await webhooks.apply({ kind: 'lease', id, node, nowMs, leaseMs: claimMs })) > 0;
    const renew = (_untilMs: number, nextMs: number) => lease(nextMs - claimMs);
    let untilMs = 0;
    while (!signal.aborted) {
      const nowMs = clock();
      if (!isFresh(untilMs - nowMs, claimMs)) {
        if (!(await lease(nowMs))) return;
        untilMs = nowMs + claimMs;
      }
      // Read again under the lease, because another node may have had it meanwhile.
      const webhook = (await webhooks.list()).find((candidate) => candidate.id === id);
      if (webhook?.state !== 'active') return;
      const due = await this.#listDue(webhook);
      const { lastVersion, waiting } = webhook;
      const fresh = waiting < MAX_WAITING ? await this.#listNew(webhook) : { events: [], last: lastVersion };
      if (due.deliveries.length + due.expired.length + fresh.events.length === 0 && fresh.last === lastVersion) return;
      const sent = await whileClaimed(this.#deps, { untilMs, renew }, (lost) =>
        this.#sendBatch(webhook, due, fresh, AbortSignal.any([signal, lost])),
      );
      if (!sent.result) return;
      untilMs = sent.untilMs;
    }
  }

  async #listDue({ id, nextDueMs }: Webhook): Promise<DueDeliveries> {
    const { webhooks, feed, clock } = this.#deps;
    if (nextDueMs === undefined || nextDueMs > clock()) return { deliveries: [], expired: [] };
    const due = await webhooks.listDue(id, clock(), CONCURRENT);
    const events = await Promise.all(due.map(({ version }) => feed.list(version - 1n, 1)));
    const deliveries = due.flatMap(({ version, attempts }, index) => {
      const [read] = events[index] ?? [];
      const event = read && webhookEvent(read);
      return event?.version === version ? [{ event, attempts }] : [];
    });
    const known = new Set(deliveries.map(({ event }) => event.version));
    return { deliveries, expired: due.map(({ version }) => version).filter((version) => !known.has(version)) };
  }

  async #listNew({ lastVersion, patterns }: Webhook): Promise<NewEvents> {
    const read = await this.#deps.feed.list(lastVersion, BATCH);
    const visible = read.map(webhookEvent).filter((event) => event !== undefined);
    const events = visible.filter((event) => matchesPatterns(event, patterns));
    return { events, last: read.at(-1)?.version ?? lastVersion };
  }

  /** Sends a batch and stores the outcomes. @returns whether to continue with the webhook */
  async #sendBatch(
    webhook: Webhook,
    { deliveries: due, expired }: DueDeliveries,
    fresh: NewEvents,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { webhooks, clock, node, activity } = this.#deps;
    const deliveries = [...due, ...fresh.events.map((event) => ({ event, attempts: 0 }))];
    const outcomes = await this.#sendInOrder(webhook, deliveries, signal);
    // Expired events can no longer be sent.
    const delivered: bigint[] = [...expired];
    const failed: FailedDelivery[] = [];
    const interrupted: FailedDelivery[] = [];
    deliveries.slice(0, outcomes.length).forEach(({ event: { version }, attempts }, index) => {
      const outcome = outcomes[index];
      if (outcome === undefined) interrupted.push({ version, attempts, nextAtMs: clock(), ...NO_OUTCOME });
      else if (isSuccess(outcome)) delivered.push(version);
      else failed.push(this.#failureOf(version, attempts + 1, outcome));
    });
    const isAll = outcomes.length === deliveries.length;
    const lastSent = fresh.events[outcomes.length - due.length - 1];
    const lastVersion = isAll ? fresh.last : (lastSent?.version ?? webhook.lastVersion);
    activity.delivered += delivered.length - expired.length;
    const dead = failed.filter(({ isDead }) => isDead).length;
    activity.dead += dead;
    activity.failed += failed.length - dead;
    const isGone = outcomes.some((outcome) => outcome && 'status' in outcome && outcome.status === GONE);
    const report = { lastVersion, delivered, failed: [...failed, ...interrupted], isGone };
    return (await webhooks.apply({ kind: 'report', id: webhook.id, node, report })) > 0 && !isGone;
  }

  /**
   * @returns the outcomes of the deliveries that began before the end of the batch, or before the signal; undefined for
   *   those that the signal has interrupted, which the next node sends again
   */
  async #sendInOrder(
    webhook: Webhook,
    deliveries: readonly Delivery[],
    signal: AbortSignal,
  ): Promise<readonly (SendOutcome | undefined)[]> {
    const outcomes: (SendOutcome | undefined)[] = [];
    const endMs = performance.now() + BATCH_MS;
    let next = 0;
    const mayBegin = () => !signal.aborted && (next < CONCURRENT || performance.now() < endMs);
    const lane = async () => {
      while (next < deliveries.length && mayBegin()) {
        const at = next++;
        outcomes[at] = undefined;
        const { event } = deliveries[at] as Delivery;
        try {
          outcomes[at] = await this.#send(webhook, event, signal);
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, lane));
    return outcomes;
  }

  async #send(webhook: Webhook, event: ChangeEvent, signal: AbortSignal): Promise<SendOutcome> {
    const { sender, clock, bodyOf, idOf, activity } = this.#deps;
    const [id, atMs] = [await idOf(event), clock()];
    const message = {
      url: webhook.url,
      secrets: signingSecrets(webhook, atMs),
      id,
      atMs,
      body: bodyOf(event, webhook),
    };
    const startMs = performance.now();
    const outcome = await sender.send(message, signal);
    activity.durations.addSince(startMs);
    return outcome;
  }

  #failureOf(version: bigint, attempts: number, outcome: SendOutcome): FailedDelivery {
    const { clock, retryDelaysMs } = this.#deps;
    const delayMs = retryDelaysMs[attempts - 1];
    const nowMs = clock();
    return {
      version,
      attempts,
      nextAtMs: nowMs + (delayMs === undefined ? 0 : this.#waitAfter(outcome, delayMs)),
      isDead: delayMs === undefined,
      lastStatus: 'status' in outcome ? outcome.status : undefined,
      lastError: 'error' in outcome ? outcome.error : undefined,
      lastAtMs: nowMs,
    };
  }

  /** The larger of the delay and what the receiver wants. */
  #waitAfter(outcome: SendOutcome, delayMs: number): number {
    const { retryAfterMs = 0 } = 'status' in outcome ? outcome : {};
    const spread = 1 + JITTER * (2 * this.#deps.random() - 1);
    return Math.max(Math.round(delayMs * spread), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
  }
}

/** Whether less than half of a lease has passed. A longer rest than the whole was made with another clock. */
function isFresh(leftMs: number, leaseMs: number): boolean {
  return leftMs > leaseMs / 2 && leftMs <= leaseMs;
}

function isSuccess(outcome: SendOutcome): boolean {
  return 'status' in outcome && outcome.status >= 200 && outcome.status < 300;
}
