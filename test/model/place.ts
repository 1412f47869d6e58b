import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Service } from '../../src/server/service.ts';
import { clientOf, type Call as Send } from '../support/client.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { dropDatabaseOf, startNodes } from '../support/nodes.ts';
import { bearer, createKey, logIn, newSecuredFolder } from '../support/secured.ts';
import { removeFolder, testConfigOn } from '../support/service.ts';
import { startSmtpReceiver, type SmtpReceiver } from '../support/smtp-receiver.ts';
import { ensureWebBuilt } from '../support/web-build.ts';
import { startReceiver, type Receiver } from '../support/webhook-receiver.ts';
import { saveSearches } from './matches.ts';
import { SITE } from './records.ts';
import { READING_KEY, USERS, type Who } from './steps.ts';

/* All runs begin with a service that has no pets, but accounts, a webhook and saved searches. */

export type Headers = Readonly<Record<string, string>>;

interface PlaceData {
  folder: string;
  nodes: number;
  webFolder: string;
}

/** Removes a folder and its database. */
export async function removePlace(folder: string): Promise<void> {
  await dropDatabaseOf(folder);
  await removeFolder(folder);
}

export class Place {
  readonly #data: PlaceData;
  readonly webhook: Receiver;
  readonly mail: SmtpReceiver;
  #credentials: ReadonlyMap<Who, Headers> = new Map();

  private constructor(data: PlaceData, webhook: Receiver, mail: SmtpReceiver) {
    this.#data = data;
    this.webhook = webhook;
    this.mail = mail;
  }

  /** @param nodes on PostgreSQL; 0 for the embedded database */
  static async prepare(t: Lifetime, nodes = 0): Promise<Place> {
    const folder = await newSecuredFolder({ onPostgres: nodes > 0 });
    t.after(() => removePlace(folder));
    const [webhook, mail] = [await startReceiver(t), await startSmtpReceiver(t)];
    // Feeds and pages exist only with the web application.
    const place = new Place({ folder, nodes, webFolder: await ensureWebBuilt() }, webhook, mail);
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
    await cp(this.#data.folder, folder, { recursive: true });
    this.webhook.calls.length = 0;
    this.mail.received.length = 0;
    return folder;
  }

  async open(folder: string, clock: () => number): Promise<Service> {
    const { nodes, webFolder } = this.#data;
    const mail = ['--smtp-url', this.mail.url, '--mail-from', 'pets@example.org'];
    const others = ['--public-url', SITE, '--webhook-private-addresses'];
    const config = await testConfigOn(folder, ['--empty', '--access', 'secured', ...mail, ...others]);
    return startNodes({ ...config, webFolder }, pino({ level: 'silent' }), clock, Math.max(1, nodes));
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
