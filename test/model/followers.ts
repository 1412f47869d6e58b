import { followEvents, type EventClient } from '../support/event-client.ts';
import { until } from '../support/until.ts';
import type { Receiver } from '../support/webhook-receiver.ts';
import type { Model } from './model.ts';
import type { Headers } from './place.ts';
import { eventsFor, webhookLinesOf } from './views.ts';
import { differs } from './way.ts';

/* Those to whom the service sends changes while the run lasts: streams of events, and a webhook. */

interface Follower {
  name: string;
  isStaff: boolean;
  client: EventClient;
}

export class Followers {
  readonly #streams: Follower[] = [];
  readonly #receiver: Receiver;

  constructor(webhook: Receiver) {
    this.#receiver = webhook;
  }

  /** @param originOf of the service, which may have started again */
  async open(originOf: () => string, staff: Headers): Promise<void> {
    for (const [name, headers] of Object.entries<Headers>({ anonymous: {}, root: staff })) {
      const client = followEvents(() => `${originOf()}/v2/events?kinds=pet`, { headers, retryMs: 20 });
      this.#streams.push({ name, isStaff: headers === staff, client });
      await client.opened;
    }
  }

  close(): void {
    for (const { client } of this.#streams) client.close();
  }

  /** @param model after a change that everyone may know, whose event is the last one */
  async check(model: Model): Promise<string | undefined> {
    for (const { name, isStaff, client } of this.#streams) {
      const expected = eventsFor(model, isStaff).map(({ line }) => line);
      const last = expected.at(-1);
      const linesOf = () => client.events.map(({ data }) => withoutTime(data));
      await until(`the last event of ${name}`, async () => linesOf().at(-1) === last).catch(() => {});
      const wrong = differs(`the live events of ${name}`, linesOf(), expected);
      if (wrong !== undefined) return wrong;
    }
    return this.#checkWebhook(model);
  }

  /** Its requests are concurrent, and one that a restart has interrupted is repeated. */
  async #checkWebhook(model: Model): Promise<string | undefined> {
    const expected = webhookLinesOf(model);
    const linesOf = () => new Set(this.#receiver.calls.map(({ body }) => withoutTime(dataOf(body))));
    await until('the requests of the webhook', async () => expected.every((line) => linesOf().has(line))).catch(
      () => {},
    );
    return differs('the requests of the webhook', [...linesOf()].toSorted(byVersion), expected);
  }
}

function byVersion(a: string, b: string): number {
  return versionIn(a) - versionIn(b);
}

function versionIn(line: string): number {
  return Number(/"version":(\d+)/.exec(line)?.[1]);
}

/** The event in the body of a request. */
function dataOf(body: string): string {
  return /"data":(.*)\}$/s.exec(body)?.[1] ?? body;
}

export function withoutTime(line: string): string {
  return line.replace(/"at":"[^"]+",/, '');
}
