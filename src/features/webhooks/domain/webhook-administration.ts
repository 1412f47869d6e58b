import type { Access, Actor } from '../../../domain/access.ts';
import type { Tokens } from '../../../domain/accounts/ports.ts';
import { stampOf } from '../../../domain/audit.ts';
import { invalidInput } from '../../../domain/failure.ts';
import type { Clock } from '../../../domain/ports.ts';
import type { SendOutcome, WebhookSender, WebhookStore } from './ports.ts';
import {
  letterNotFound,
  ROTATION_MS,
  secretOf,
  signingSecrets,
  webhookNotFound,
  type FailedDelivery,
  type Webhook,
} from './webhook.ts';

interface WebhookAdministrationDeps {
  access: Access;
  webhooks: WebhookStore;
  sender: WebhookSender;
  /** The maximum number of webhooks. */
  most: number;
  tokens: Tokens;
  clock: Clock;
}

/** Absent fields stay unchanged. */
interface WebhookEdit {
  url?: string | undefined;
  patterns?: readonly string[] | undefined;
  secret?: string | undefined;
  isPaused?: boolean | undefined;
}

interface WebhookSettings {
  url: string;
  patterns: readonly string[];
  /** Generated if undefined. */
  secret: string | undefined;
}

interface LetterPage {
  afterVersion: bigint;
  limit: number;
}

/** Administration of webhooks and their dead letters. Every operation requires the permission `administer`. */
export class WebhookAdministration {
  readonly #deps: WebhookAdministrationDeps;

  constructor(deps: WebhookAdministrationDeps) {
    this.#deps = deps;
  }

  async list(actor: Actor): Promise<readonly Webhook[]> {
    const { access, webhooks, clock } = this.#deps;
    access(actor, 'administer');
    return (await webhooks.list()).map((webhook) => withoutEndedRotation(webhook, clock()));
  }

  /** @throws Failure `not-found` */
  async get(actor: Actor, id: string): Promise<Webhook> {
    const found = (await this.list(actor)).find((webhook) => webhook.id === id);
    if (found === undefined) throw webhookNotFound();
    return found;
  }

  /**
   * Creates a webhook for future changes.
   *
   * @param origin the origin at which the client reaches the service
   * @throws Failure `invalid-input`, `conflict` at the maximum number of webhooks
   */
  async create(actor: Actor, { url, patterns, secret }: WebhookSettings, origin: string): Promise<Webhook> {
    const { access, webhooks, most, tokens, clock } = this.#deps;
    access(actor, 'administer');
    this.#requireAllowed(url);
    const webhook = {
      id: tokens.createId(),
      url,
      patterns,
      secret: secret ?? secretOf(tokens.create()),
      origin,
      createdAtMs: clock(),
    };
    await webhooks.apply({ kind: 'create', webhook, most, stamp: stampOf(actor, clock()) });
    return this.get(actor, webhook.id);
  }

  /** A resumed webhook receives the events since it was paused. @throws Failure `not-found`, `invalid-input` */
  async update(actor: Actor, id: string, { isPaused, ...edit }: WebhookEdit): Promise<Webhook> {
    const { access, webhooks, clock } = this.#deps;
    access(actor, 'administer');
    if (edit.url !== undefined) this.#requireAllowed(edit.url);
    const state = isPaused === undefined ? undefined : isPaused ? 'paused' : 'active';
    await webhooks.apply({ kind: 'update', id, ...edit, state, stamp: stampOf(actor, clock()) });
    return this.get(actor, id);
  }

  /**
   * Replaces the secret by a new one. The previous one signs as well until the rotation is ended, or for `ROTATION_MS`.
   * @throws Failure `not-found`; `conflict` while the secret is being rotated
   */
  async rotateSecret(actor: Actor, id: string): Promise<Webhook> {
    const { access, webhooks, tokens, clock } = this.#deps;
    access(actor, 'administer');
    const nowMs = clock();
    const change = { id, secret: secretOf(tokens.create()), nowMs, untilMs: nowMs + ROTATION_MS };
    await webhooks.apply({ kind: 'rotate-secret', ...change, stamp: stampOf(actor, nowMs) });
    return { ...(await this.get(actor, id)), secret: change.secret };
  }

  /** The previous secret stops signing. Changes nothing without a rotation. @throws Failure `not-found` */
  async endRotation(actor: Actor, id: string): Promise<Webhook> {
    const { access, webhooks, clock } = this.#deps;
    access(actor, 'administer');
    await webhooks.apply({ kind: 'end-rotation', id, stamp: stampOf(actor, clock()) });
    return this.get(actor, id);
  }

  /** Deletes a webhook and its pending deliveries. @throws Failure `not-found` */
  async delete(actor: Actor, id: string): Promise<void> {
    const { access, webhooks, clock } = this.#deps;
    access(actor, 'administer');
    await webhooks.apply({ kind: 'delete', id, stamp: stampOf(actor, clock()) });
  }

  /** Sends an event of type `webhook.ping`, and returns the outcome. @throws Failure `not-found` */
  async test(actor: Actor, id: string): Promise<SendOutcome> {
    const { sender, tokens, clock } = this.#deps;
    const webhook = await this.get(actor, id);
    const atMs = clock();
    const body = JSON.stringify({ type: 'webhook.ping', timestamp: new Date(atMs).toISOString(), data: {} });
    const secrets = signingSecrets(webhook, atMs);
    const message = { url: webhook.url, secrets, id: `ping_${tokens.createId()}`, atMs, body };
    return sender.send(message, new AbortController().signal);
  }

  /** Lists the deliveries that are no longer retried, by version. @throws Failure `not-found` */
  async listDeadLetters(actor: Actor, id: string, page: LetterPage): Promise<readonly FailedDelivery[]> {
    await this.get(actor, id);
    return this.#deps.webhooks.listDeadLetters(id, page.afterVersion, page.limit);
  }

  /**
   * Retries one dead letter; by default, all of the webhook.
   * @returns the number of retried dead letters
   * @throws Failure `not-found`
   */
  async retryDeadLetters(actor: Actor, id: string, version?: bigint): Promise<number> {
    const { access, webhooks, clock } = this.#deps;
    access(actor, 'administer');
    if (version !== undefined && version < 1n) throw letterNotFound();
    const nowMs = clock();
    return webhooks.apply({ kind: 'retry', id, version, nowMs, stamp: stampOf(actor, nowMs) });
  }

  #requireAllowed(url: string): void {
    const refusal = this.#deps.sender.refusalOf(url);
    if (refusal !== undefined) throw invalidInput([{ path: '/url', message: refusal }]);
  }
}

function withoutEndedRotation(webhook: Webhook, nowMs: number): Webhook {
  return signingSecrets(webhook, nowMs).length > 1 ? webhook : { ...webhook, previousSecret: undefined };
}
