import type { SendOutcome, WebhookMessage, WebhookSender } from '../../domain/events/ports.ts';
import type { Clock } from '../../domain/ports.ts';
import { PhotoUnusable, type PhotoSource } from '../../transfer/photo-source.ts';

const MINUTE_MS = 60_000;

/** A request counts once for each of these bytes that it begins. */
const UNIT_BYTES = 16 * 1024;

/** Per minute, for the playgrounds of one network, and for all. No receiver can get more than all. */
const OF_NETWORK = 300;
const OF_ALL = 1200;

/** A photo may have 10 MiB, which its server sends. */
const PHOTO_UNITS = 10;

/**
 * The requests that playgrounds send in a minute: to webhooks, and for photos. Anyone may create a playground, so
 * without a limit, a small request would become many large ones to a stranger.
 */
export class OutgoingTraffic {
  readonly #clock: Clock;
  readonly #ofNetwork = new Map<string, number>();
  #ofAll = 0;
  #minute = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param owner the network of its playgrounds. @returns false if a limit is exceeded, and nothing may be sent */
  take(owner: string, units: number): boolean {
    const minute = Math.floor(this.#clock() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#ofNetwork.clear();
      [this.#minute, this.#ofAll] = [minute, 0];
    }
    const ofNetwork = (this.#ofNetwork.get(owner) ?? 0) + units;
    if (ofNetwork > OF_NETWORK || this.#ofAll + units > OF_ALL) return false;
    this.#ofNetwork.set(owner, ofNetwork);
    this.#ofAll += units;
    return true;
  }
}

/** The sender of webhooks, with a limit. A delivery beyond it fails, and is retried like any other. */
export class LimitedSender implements WebhookSender {
  readonly #sender: WebhookSender;
  readonly #traffic: OutgoingTraffic;
  readonly #owner: string;

  constructor(sender: WebhookSender, traffic: OutgoingTraffic, owner: string) {
    this.#sender = sender;
    this.#traffic = traffic;
    this.#owner = owner;
  }

  refusalOf(url: string): string | undefined {
    return this.#sender.refusalOf(url);
  }

  async send(message: WebhookMessage, signal: AbortSignal): Promise<SendOutcome> {
    const units = 1 + Math.floor(Buffer.byteLength(message.body) / UNIT_BYTES);
    if (this.#traffic.take(this.#owner, units)) return this.#sender.send(message, signal);
    return { error: 'not sent: too many deliveries of playgrounds in this minute' };
  }

  /** The service closes the sender that all share. */
  close(): void {}
}

/** Photos at addresses, with a limit. */
export class LimitedPhotoSource implements Pick<PhotoSource, 'read'> {
  readonly #source: Pick<PhotoSource, 'read'>;
  readonly #traffic: OutgoingTraffic;
  readonly #owner: string;

  constructor(source: Pick<PhotoSource, 'read'>, traffic: OutgoingTraffic, owner: string) {
    this.#source = source;
    this.#traffic = traffic;
    this.#owner = owner;
  }

  async read(address: string): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#traffic.take(this.#owner, PHOTO_UNITS)) return this.#source.read(address);
    throw new PhotoUnusable('download', 'is not downloaded: too many photos of playgrounds in this minute');
  }
}
