import type { Clock } from '../ports.ts';
import type { ChangeEvent } from './change-event.ts';
import type { ChangeFeed, SendOutcome, WebhookSender, WebhookStore } from './ports.ts';
import { isAskedFor, type FailedDelivery, type Webhook } from './webhook.ts';

export interface WebhookWorkNeeds {
  webhooks: WebhookStore;
  feed: ChangeFeed;
  sender: WebhookSender;
  clock: Clock;
  /** Of this node, unlike any other. */
  node: string;
  /** A webhook is taken in hand for so long: longer than it takes to send what is sent in one go. */
  leaseMs: number;
  /** After each failed attempt, so long until the next one; after the last of them, it is a dead letter. */
  retryDelaysMs: readonly number[];
  /** What is sent of an event. */
  bodyOf: (event: ChangeEvent, webhook: Webhook) => string;
  /** From 0 to 1. */
  random: () => number;
  onTrouble: (error: unknown) => void;
}

/** An event, and how often it was tried before. */
interface Delivery {
  event: ChangeEvent;
  attempts: number;
}

const READ_AT_ONCE = 100;

/** In one go, before it is written down what came of them. */
const SENT_AT_ONCE = 16;

/** While so many wait to be sent again, nothing new is sent: it stays in the history, where it is. */
const MAX_WAITING = 1000;

/** Those who failed together should not all come back together. */
const JITTER = 0.2;

const GONE = 410;

export type WebhookWork = ReturnType<typeof createWebhookWork>;

/** Sends changes to those who are to be told: each at least once. */
export function createWebhookWork(needs: WebhookWorkNeeds) {
  const { webhooks, feed, sender, clock, node, leaseMs, bodyOf, onTrouble } = needs;
  const atWork = new Map<string, Promise<void>>();

  /** Everything that is due, and is nobody else's. */
  async function workOn(webhook: Webhook, signal: AbortSignal): Promise<void> {
    let position = webhook.lastVersion;
    while (!signal.aborted) {
      const leased = await webhooks.apply({ kind: 'lease', id: webhook.id, node, nowMs: clock(), leaseMs });
      if (leased === 0) return;
      // As it is now that it is ours: another node may have had it meanwhile.
      const current = (await webhooks.list()).find(({ id }) => id === webhook.id);
      if (current === undefined) return;
      position = current.lastVersion;
      const again = await dueOf(current);
      const fresh = current.waiting < MAX_WAITING ? await nextOf(current) : { events: [], last: position };
      const deliveries = [...again.deliveries, ...fresh.events.map((event) => ({ event, attempts: 0 }))];
      if (deliveries.length === 0 && again.forgotten.length === 0 && fresh.last === position) return;
      const progress = { lastVersion: fresh.last, forgotten: again.forgotten };
      if (!(await sendAll(current, deliveries, progress, signal))) return;
    }
  }

  /** What is to be sent again, and of what nothing is known any more. */
  async function dueOf({ id, nextDueMs }: Webhook): Promise<{ deliveries: readonly Delivery[]; forgotten: bigint[] }> {
    if (nextDueMs === undefined || nextDueMs > clock()) return { deliveries: [], forgotten: [] };
    const due = await webhooks.listDue(id, clock(), SENT_AT_ONCE);
    const events = await Promise.all(due.map(({ version }) => feed.list(version - 1n, 1)));
    const deliveries = due.flatMap(({ version, attempts }, index) => {
      const event = events[index]?.[0];
      return event?.version === version ? [{ event, attempts }] : [];
    });
    const known = new Set(deliveries.map(({ event }) => event.version));
    return { deliveries, forgotten: due.map(({ version }) => version).filter((version) => !known.has(version)) };
  }

  /** What is to be sent for the first time, and how far that reaches. */
  async function nextOf({ lastVersion, patterns }: Webhook): Promise<{ events: readonly ChangeEvent[]; last: bigint }> {
    const read = await feed.list(lastVersion, READ_AT_ONCE);
    const wanted = read.filter((event) => isAskedFor(event, patterns));
    const events = wanted.slice(0, SENT_AT_ONCE);
    const isAll = events.length === wanted.length;
    return { events, last: (isAll ? read.at(-1) : events.at(-1))?.version ?? lastVersion };
  }

  /** @returns whether it is worth going on */
  async function sendAll(
    webhook: Webhook,
    deliveries: readonly Delivery[],
    { lastVersion, forgotten }: { lastVersion: bigint; forgotten: readonly bigint[] },
    signal: AbortSignal,
  ): Promise<boolean> {
    const outcomes = await Promise.all(deliveries.map((delivery) => send(webhook, delivery, signal)));
    // What is too old to be told waits for nothing.
    const delivered: bigint[] = [...forgotten];
    const failed: FailedDelivery[] = [];
    deliveries.forEach(({ event: { version }, attempts }, index) => {
      const outcome = outcomes[index] as SendOutcome;
      if (isSuccess(outcome)) delivered.push(version);
      else failed.push(failureOf(version, attempts + 1, outcome));
    });
    const isGone = outcomes.some((outcome) => 'status' in outcome && outcome.status === GONE);
    const report = { lastVersion, delivered, failed, isGone };
    return (await webhooks.apply({ kind: 'report', id: webhook.id, node, report })) > 0 && !isGone;
  }

  function send(webhook: Webhook, { event }: Delivery, signal: AbortSignal): Promise<SendOutcome> {
    const { url, secret } = webhook;
    const id = `${webhook.id}_${event.version}`;
    return sender.send({ url, secret, id, atMs: clock(), body: bodyOf(event, webhook) }, signal);
  }

  function failureOf(version: bigint, attempts: number, outcome: SendOutcome): FailedDelivery {
    const delayMs = needs.retryDelaysMs[attempts - 1];
    const spread = 1 + JITTER * (2 * needs.random() - 1);
    const nowMs = clock();
    return {
      version,
      attempts,
      nextAtMs: nowMs + Math.round((delayMs ?? 0) * spread),
      isDead: delayMs === undefined,
      lastStatus: 'status' in outcome ? outcome.status : undefined,
      lastError: 'error' in outcome ? outcome.error : undefined,
      lastAtMs: nowMs,
    };
  }

  function begin(webhook: Webhook, signal: AbortSignal): void {
    const work = workOn(webhook, signal)
      .catch((error: unknown) => {
        // What was on its way when the service stopped is sent by whoever comes next.
        if (!signal.aborted) onTrouble(error);
      })
      .finally(() => atWork.delete(webhook.id));
    atWork.set(webhook.id, work);
  }

  return {
    /** Looks what there is to do, and begins with it. @returns whether there is anybody to be told at all */
    async look(signal: AbortSignal): Promise<boolean> {
      const active = (await webhooks.list()).filter(({ state }) => state === 'active');
      if (active.length === 0) return false;
      const newest = await feed.lastVersion();
      for (const webhook of active) {
        const { id, lastVersion, waiting, nextDueMs = Infinity } = webhook;
        const isDue = nextDueMs <= clock() || (lastVersion < newest && waiting < MAX_WAITING);
        if (isDue && !atWork.has(id) && !signal.aborted) begin(webhook, signal);
      }
      return true;
    },

    /** Resolves when nothing is on its way any more, and others may go on. */
    async finish(): Promise<void> {
      await Promise.all(atWork.values());
      await webhooks.apply({ kind: 'release', node });
    },
  };
}

function isSuccess(outcome: SendOutcome): boolean {
  return 'status' in outcome && outcome.status >= 200 && outcome.status < 300;
}
