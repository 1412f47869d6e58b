import type { IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { PhotoUnusable, type PhotoSource } from '../../transfer/photo-source.ts';
import { AddressRefused, isRefusedLiteral, publicLookup, resolveBySystem } from '../networks/addresses.ts';

const { get: getHttp } = process.getBuiltinModule('node:http');

interface PhotoFetcherSettings {
  /** The service itself, whose photos are stored already; undefined if it may have several addresses. */
  ownOrigin?: string | undefined;
  maxBytes?: number;
  /** Whether photos may have private addresses, this machine included. */
  isPrivateAllowed: boolean;
}

const MAX_BYTES = 50 * 1024 * 1024;
const MAX_REDIRECTS = 3;
const TIMEOUT_MS = 30_000;

/** Downloads photos over HTTP. A file of strangers must not make this machine send requests to its private network. */
export class PhotoFetcher implements PhotoSource {
  readonly #settings: PhotoFetcherSettings;

  constructor(settings: PhotoFetcherSettings) {
    this.#settings = settings;
  }

  has(entry: string): boolean {
    const { ownOrigin } = this.#settings;
    const isOwn = ownOrigin !== undefined && entry.startsWith(`${ownOrigin}/v2/photo/`);
    return /^https?:/i.test(entry) && !isOwn;
  }

  problemOf(address: string): PhotoUnusable | undefined {
    try {
      this.#urlOf(address);
      return undefined;
    } catch (error) {
      if (error instanceof PhotoUnusable) return error;
      throw error;
    }
  }

  async read(address: string): Promise<Uint8Array<ArrayBuffer>> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      let url = this.#urlOf(address);
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const response = await this.#get(url, timeout);
        const { statusCode = 0, headers } = response;
        if (statusCode === 200) return await bytesOf(response, this.#settings.maxBytes ?? MAX_BYTES);
        response.destroy();
        if (statusCode < 300 || statusCode >= 400 || headers.location === undefined)
          throw new PhotoUnusable('download', `cannot be downloaded: the server answered with status ${statusCode}`);
        // Each redirect could lead into the private network.
        url = this.#urlOf(headers.location, url);
      }
      throw new PhotoUnusable('download', `cannot be downloaded: more than ${MAX_REDIRECTS} redirects`);
    } catch (error) {
      if (error instanceof PhotoUnusable) throw error;
      if (error instanceof AddressRefused) throw notPublic();
      throw new PhotoUnusable(
        'download',
        timeout.aborted ? `cannot be downloaded within ${TIMEOUT_MS / 1000} s` : 'cannot be downloaded',
      );
    }
  }

  /** @throws PhotoUnusable */
  #urlOf(address: string, base?: URL): URL {
    const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol))
      throw new PhotoUnusable('download', 'is not an http or https address');
    if (!this.#settings.isPrivateAllowed && isRefusedLiteral(url)) throw notPublic();
    return url;
  }

  #get(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
    // A proxy of the environment would look up the name itself, and reach addresses that are not public.
    const direct = { agent: false, lookup: publicLookup(resolveBySystem) } as const;
    const options = { signal, headers: { accept: 'image/*' }, ...(!this.#settings.isPrivateAllowed && direct) };
    return new Promise((resolve, reject) => {
      const get = url.protocol === 'https:' ? getHttps : getHttp;
      get(url, options, resolve).once('error', reject);
    });
  }
}

/** @throws PhotoUnusable */
async function bytesOf(response: IncomingMessage, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new PhotoUnusable('too-large', `has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function notPublic(): PhotoUnusable {
  return new PhotoUnusable('download', 'is not on the public internet');
}
