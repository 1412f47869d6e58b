import type { Access, Actor } from '../access.ts';
import type { Tokens } from '../accounts/ports.ts';
import { stampOf } from '../audit.ts';
import { invalidInput } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { SendOutcome, WebhookSender, WebhookStore } from './ports.ts';
import { letterNotFound, secretOf, webhookNotFound, type FailedDelivery, type Webhook } from './webhook.ts';

export interface WebhookAdministrationNeeds {
  access: Access;
  webhooks: WebhookStore;
  sender: WebhookSender;
  tokens: Tokens;
  clock: Clock;
}

/** What is left out when a webhook is changed stays as it is. */
export interface WebhookEdit {
  url?: string | undefined;
  patterns?: readonly string[] | undefined;
  secret?: string | undefined;
  isPaused?: boolean | undefined;
}

export interface WebhookWishes {
  url: string;
  patterns: readonly string[];
  /** Left out, one is made. */
  secret: string | undefined;
}

export interface LetterPart {
  afterVersion: bigint;
  limit: number;
}

export type WebhookAdministration = ReturnType<typeof createWebhookAdministration>;

/** Who is told of changes: for administrators to say. */
export function createWebhookAdministration(needs: WebhookAdministrationNeeds) {
  const { access, webhooks, sender, tokens, clock } = needs;

  async function get(actor: Actor, id: string): Promise<Webhook> {
    access(actor, 'administer');
    const found = (await webhooks.list()).find((webhook) => webhook.id === id);
    if (found === undefined) throw webhookNotFound();
    return found;
  }

  function demandAddress(url: string): void {
    const refusal = sender.refusalOf(url);
    if (refusal !== undefined) throw invalidInput([{ path: '/url', message: refusal }]);
  }

  return {
    get,

    async list(actor: Actor): Promise<readonly Webhook[]> {
      access(actor, 'administer');
      return webhooks.list();
    },

    /**
     * It is told of what comes from now on. Its secret is told this once.
     *
     * @param origin where the service is reached
     * @throws Failure `invalid-input`, `conflict` when there are as many as there may be
     */
    async create(actor: Actor, { url, patterns, secret }: WebhookWishes, origin: string): Promise<Webhook> {
      access(actor, 'administer');
      demandAddress(url);
      const webhook = {
        id: tokens.createId(),
        url,
        patterns,
        secret: secret ?? secretOf(tokens.create()),
        origin,
        createdAtMs: clock(),
      };
      await webhooks.apply({ kind: 'create', webhook, stamp: stampOf(actor, clock()) });
      return get(actor, webhook.id);
    },

    /** One that is not paused any more is told of what it has missed. @throws Failure `not-found`, `invalid-input` */
    async update(actor: Actor, id: string, { isPaused, ...edit }: WebhookEdit): Promise<Webhook> {
      access(actor, 'administer');
      if (edit.url !== undefined) demandAddress(edit.url);
      const state = isPaused === undefined ? undefined : isPaused ? 'paused' : 'active';
      await webhooks.apply({ kind: 'update', id, ...edit, state, stamp: stampOf(actor, clock()) });
      return get(actor, id);
    },

    /** With all that waits to be sent to it. @throws Failure `not-found` */
    async remove(actor: Actor, id: string): Promise<void> {
      access(actor, 'administer');
      await webhooks.apply({ kind: 'remove', id, stamp: stampOf(actor, clock()) });
    },

    /** Sends something that nobody has to do anything about, and tells what came of it. @throws Failure `not-found` */
    async test(actor: Actor, id: string): Promise<SendOutcome> {
      const { url, secret } = await get(actor, id);
      const atMs = clock();
      const body = JSON.stringify({ type: 'webhook.ping', timestamp: new Date(atMs).toISOString(), data: {} });
      const message = { url, secret, id: `ping_${tokens.createId()}`, atMs, body };
      return sender.send(message, new AbortController().signal);
    },

    /** What is not tried again by itself, by version. @throws Failure `not-found` */
    async listDeadLetters(actor: Actor, id: string, part: LetterPart): Promise<readonly FailedDelivery[]> {
      await get(actor, id);
      return webhooks.listDeadLetters(id, part.afterVersion, part.limit);
    },

    /** One, or all. @returns how many @throws Failure `not-found` */
    async sendAgain(actor: Actor, id: string, version?: bigint): Promise<number> {
      access(actor, 'administer');
      if (version !== undefined && version < 1n) throw letterNotFound();
      const nowMs = clock();
      return webhooks.apply({ kind: 'send-again', id, version, nowMs, stamp: stampOf(actor, nowMs) });
    },
  };
}
