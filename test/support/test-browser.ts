import assert from 'node:assert/strict';
import { parseCookie } from 'cookie';

export interface BrowserResponse {
  status: number;
  /** The address of the response, after all redirects. */
  url: string;
  headers: Headers;
  text: string;
}

const MAX_REDIRECTS = 10;

/** Follows redirects and stores cookies by host, as a browser does for links. */
export class TestBrowser {
  readonly #publicUrl: string;
  readonly #origin: string;
  readonly #cookies = new Map<string, Map<string, string>>();

  /** @param origin that of the service, which is requested instead of the public URL, without its path */
  constructor(publicUrl: string, origin: string) {
    this.#publicUrl = publicUrl;
    this.#origin = origin;
  }

  /** @param isLast whether to stop at this address, without requesting it */
  async open(address: string, isLast: (url: string) => boolean = () => false): Promise<BrowserResponse> {
    let url = address;
    for (let redirects = 0; redirects < MAX_REDIRECTS; redirects += 1) {
      const response = await this.request(url);
      const location = response.headers.get('location');
      if (location === null) return response;
      url = new URL(location, url).href;
      if (isLast(url)) return { ...response, url };
    }
    return assert.fail(`too many redirects from ${address}`);
  }

  /** Follows no redirect. */
  async request(url: string, init: RequestInit = {}): Promise<BrowserResponse> {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', cookie, ...(init.headers as Record<string, string> | undefined) };
    const target = url.startsWith(this.#publicUrl) ? this.#origin + url.slice(this.#publicUrl.length) : url;
    const response = await fetch(target, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [[name, value] = assert.fail(line)] = Object.entries(parseCookie(pair));
      if (value === '' || value === undefined || /max-age=0(?:;|$)/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return { status: response.status, url, headers: response.headers, text: await response.text() };
  }

  /** A request to the API with the cookies of the browser. */
  async call(method: string, path: string, json?: unknown): Promise<BrowserResponse> {
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const headers = {
      accept: 'application/json',
      'sec-fetch-site': 'same-origin',
      ...(json !== undefined && { 'content-type': 'application/json' }),
    };
    return this.request(`${this.#publicUrl}/v2/${path}`, { method, headers, ...body });
  }

  /** The cookies of a host by name. */
  cookiesOf(host: string): ReadonlyMap<string, string> {
    return new Map(this.#cookies.get(host));
  }

  cookieNames(host: string): readonly string[] {
    return [...this.cookiesOf(host).keys()];
  }
}
