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
 * The requests that playgrounds send in a minute: those of features, and for photos. Anyone may create a playground, so
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

  /** Counts a request with this body. @returns false if a limit is exceeded, and nothing may be sent */
  takeBody(owner: string, body: string): boolean {
    return this.take(owner, 1 + Math.floor(Buffer.byteLength(body) / UNIT_BYTES));
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
