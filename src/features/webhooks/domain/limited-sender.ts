import type { SendOutcome, WebhookMessage, WebhookSender } from './ports.ts';

/** The sender, with a limit. A delivery beyond it fails, and is retried like any other. */
export class LimitedSender implements WebhookSender {
  readonly #sender: WebhookSender;
  readonly #takeTraffic: (body: string) => boolean;

  constructor(sender: WebhookSender, takeTraffic: (body: string) => boolean) {
    this.#sender = sender;
    this.#takeTraffic = takeTraffic;
  }

  refusalOf(url: string): string | undefined {
    return this.#sender.refusalOf(url);
  }

  async send(message: WebhookMessage, signal: AbortSignal): Promise<SendOutcome> {
    if (this.#takeTraffic(message.body)) return this.#sender.send(message, signal);
    return { error: 'not sent: too many deliveries of playgrounds in this minute' };
  }

  /** The service closes the sender that all share. */
  close(): void {}
}
