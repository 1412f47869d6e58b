import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { clientOf, type Call as Send, type HttpResponse } from '../support/client.ts';
import { formKeyIn } from '../support/enquiries.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { startServer } from '../support/menagerie-process.ts';
import { dropDatabaseOf, startNodes } from '../support/nodes.ts';
import { bearer, createKey, logIn, newSecuredFolder } from '../support/secured.ts';
import { removeFolder, testConfigOn } from '../support/service.ts';
import { startSmtpReceiver, type SmtpReceiver } from '../support/smtp-receiver.ts';
import { openTables } from '../support/stored.ts';
import { ensureWebBuilt } from '../support/web-build.ts';
import { startReceiver, type Receiver } from '../support/webhook-receiver.ts';
import { accountBody, FIRST_USER, PASSWORDS } from './accounts.ts';
import { OFFICE } from './enquiries.ts';
import { saveSearches } from './matches.ts';
import { SITE } from './records.ts';
import { READING_KEY, USERS, type Who } from './steps.ts';

/* All runs begin with a service that has no pets, but accounts, a webhook and saved searches. */

export type Headers = Readonly<Record<string, string>>;

export interface PlaceOptions {
  /** On PostgreSQL; by default, one with the embedded database. */
  nodes?: number;
  /** Runs the service in processes that are killed. */
  kills?: boolean;
}

interface PlaceData extends PlaceOptions {
  folder: string;
  webFolder: string;
}

/** A service that runs. */
export interface Opened {
  origin: string;
  stop: () => Promise<unknown>;
  /** Kills the process of the service. A service in the process of the test is stopped. */
  end: () => Promise<unknown>;
}

/** Removes a folder and its database. */
export async function removePlace(folder: string): Promise<void> {
  await dropDatabaseOf(folder);
  await removeFolder(folder);
}

async function openProcess(folder: string, flags: readonly string[]): Promise<Opened> {
  // Each run ends its process.
  const server = await startServer({ after: () => {} }, folder, flags);
  return { origin: server.origin, stop: () => server.end('SIGTERM'), end: () => server.end('SIGKILL') };
}

export class Place {
  readonly #data: PlaceData;
  readonly webhook: Receiver;
  readonly mail: SmtpReceiver;
  /** Signs the tokens of forms. */
  formKey = '';
  /** Of the key of the user with which all runs begin. */
  keyId = '';
  #credentials: ReadonlyMap<Who, Headers> = new Map();

  private constructor(data: PlaceData, webhook: Receiver, mail: SmtpReceiver) {
    this.#data = data;
    this.webhook = webhook;
    this.mail = mail;
  }

  static async prepare(t: Lifetime, options: PlaceOptions = {}): Promise<Place> {
    const folder = await newSecuredFolder({ onPostgres: (options.nodes ?? 0) > 0 });
    t.after(() => removePlace(folder));
    const [webhook, mail] = [await startReceiver(t), await startSmtpReceiver(t)];
    // Feeds and pages exist only with the web application.
    const place = new Place({ ...options, folder, webFolder: await ensureWebBuilt() }, webhook, mail);
    const service = await place.open(folder);
    try {
      await place.#fill(clientOf(`${service.origin}/v2`));
      const ends: (() => Promise<void>)[] = [];
      const { query } = await openTables({ after: (end) => void ends.push(end) }, folder);
      place.formKey = await formKeyIn(query);
      for (const end of ends) await end();
    } finally {
      await service.stop();
    }
    return place;
  }

  /** Whether processes are killed. */
  get kills(): boolean {
    return this.#data.kills ?? false;
  }

  headersOf(who: Who): Headers {
    return this.#credentials.get(who) ?? {};
  }

  /** @returns a folder with the data of this place */
  async copy(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'menagerie-model-'));
    await cp(this.#data.folder, folder, { recursive: true });
    this.webhook.calls.length = 0;
    this.mail.received.length = 0;
    return folder;
  }

  /** @param aheadMs of the clock: a process of its own cannot have that */
  async open(folder: string, aheadMs = 0): Promise<Opened> {
    const { nodes = 1, webFolder } = this.#data;
    const mail = ['--smtp-url', this.mail.url, '--mail-from', 'pets@example.org'];
    const others = ['--public-url', SITE, '--webhook-private-addresses'];
    const flags = ['--empty', '--access', 'secured', ...mail, ...others];
    if (this.kills && aheadMs === 0) return openProcess(folder, flags);
    const config = await testConfigOn(folder, flags);
    const clock = () => Date.now() + aheadMs;
    const service = await startNodes({ ...config, webFolder }, pino({ level: 'silent' }), clock, nodes);
    const stop = () => service.stop();
    return { origin: service.origin, stop, end: stop };
  }

  async #require200(response: Promise<HttpResponse>): Promise<void> {
    const { status, text } = await response;
    if (status !== 200) throw new Error(text);
  }

  async #fill(call: Send): Promise<void> {
    const credentials = new Map<Who, Headers>([['anonymous', {}]]);
    for (const username of USERS) {
      const token = await logIn(call, username);
      credentials.set(username, bearer(token));
      if (username === 'root') continue;
      const name: Who = `${username}'s key`;
      const scopes = name === READING_KEY ? ['read:pets'] : ['read:pets', 'write:pets'];
      credentials.set(name, { api_key: (await createKey(call, token, scopes)).key });
    }
    const asRoot = { headers: credentials.get('root') ?? {} };
    const { name } = FIRST_USER;
    await this.#require200(call('POST', 'user', { json: accountBody(FIRST_USER) }));
    await this.#require200(call('PUT', `admin/users/${name}/role`, { ...asRoot, json: { role: 'editor' } }));
    const [token, other] = [await logIn(call, name, PASSWORDS[0]), await logIn(call, name, PASSWORDS[0])];
    credentials.set('a session', bearer(token)).set('another session', bearer(other));
    const { key, id } = await createKey(call, token, ['read:pets', 'write:pets']);
    credentials.set('a key', { api_key: key });
    this.keyId = id;
    this.#credentials = credentials;
    const json = { url: this.webhook.origin, events: ['pet.*'] };
    const headers = this.headersOf('root');
    await this.#require200(call('POST', 'admin/webhooks', { headers, json }));
    await saveSearches(call, this.mail);
    await this.#require200(call('PUT', 'enquiry-settings', { headers, json: { enabled: true, recipient: OFFICE } }));
  }
}
