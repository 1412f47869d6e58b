import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startService, type Service } from '../../src/server/service.ts';
import { clientOf, type Call as Send } from '../support/client.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { bearer, createKey, logIn, newSecuredFolder } from '../support/secured.ts';
import { removeFolder, testConfig } from '../support/service.ts';
import { startSmtpReceiver, type SmtpReceiver } from '../support/smtp-receiver.ts';
import { ensureWebBuilt } from '../support/web-build.ts';
import { startReceiver, type Receiver } from '../support/webhook-receiver.ts';
import { saveSearches } from './matches.ts';
import { READING_KEY, USERS, type Who } from './steps.ts';

/* What all runs begin with: a service without pets, with actors, a webhook and saved searches. */

export type Headers = Readonly<Record<string, string>>;

export class Place {
  readonly #folder: string;
  readonly #webFolder: string;
  readonly webhook: Receiver;
  readonly mail: SmtpReceiver;
  #credentials: ReadonlyMap<Who, Headers> = new Map();

  private constructor(folder: string, webFolder: string, webhook: Receiver, mail: SmtpReceiver) {
    this.#folder = folder;
    this.#webFolder = webFolder;
    this.webhook = webhook;
    this.mail = mail;
  }

  static async prepare(t: Lifetime): Promise<Place> {
    const folder = await newSecuredFolder();
    t.after(() => removeFolder(folder));
    const [webhook, mail] = [await startReceiver(t), await startSmtpReceiver(t)];
    // Feeds and pages exist only with the web application.
    const place = new Place(folder, await ensureWebBuilt(), webhook, mail);
    const service = await place.open(folder, Date.now);
    try {
      await place.#fill(clientOf(`${service.origin}/v2`));
    } finally {
      await service.stop();
    }
    return place;
  }

  headersOf(who: Who): Headers {
    return this.#credentials.get(who) ?? {};
  }

  /** @returns a folder with the data of this place */
  async copy(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'menagerie-model-'));
    await cp(this.#folder, folder, { recursive: true });
    this.webhook.calls.length = 0;
    this.mail.received.length = 0;
    return folder;
  }

  open(folder: string, clock: () => number): Promise<Service> {
    const mail = ['--smtp-url', this.mail.url, '--mail-from', 'pets@example.org'];
    const others = ['--public-url', 'http://pets.example.org', '--webhook-private-addresses'];
    const config = testConfig(folder, ['--empty', '--access', 'secured', ...mail, ...others]);
    return startService({ ...config, webFolder: this.#webFolder }, pino({ level: 'silent' }), clock);
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
    this.#credentials = credentials;
    const json = { url: this.webhook.origin, events: ['pet.*'] };
    const { status, text } = await call('POST', 'admin/webhooks', { headers: this.headersOf('root'), json });
    if (status !== 200) throw new Error(text);
    await saveSearches(call, this.mail);
  }
}
