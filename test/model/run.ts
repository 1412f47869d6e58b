import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startService, type Service } from '../../src/server/service.ts';
import { clientOf, type Call as Send } from '../support/client.ts';
import { bearer, createKey, logIn } from '../support/secured.ts';
import { removeFolder, testConfig } from '../support/service.ts';
import { ensureWebBuilt } from '../support/web-build.ts';
import { Model, type Answer } from './model.ts';
import { curlLine, requestOf } from './requests.ts';
import { UNKNOWN } from './records.ts';
import { ACTORS, READING_KEY, USERS, withNewWords, type Call, type Step, type Who } from './steps.ts';
import { checkWaysOut } from './ways-out.ts';

/* A run: the calls of its steps are sent to a new service, and what it responds is compared with the model. */

/** A service with the actors of the runs, which each run gets as a copy. */
export interface Place {
  folder: string;
  /** The headers of each actor. */
  credentials: ReadonlyMap<Who, Readonly<Record<string, string>>>;
}

/** The service and the model disagree. The message has the calls as a shell script. */
export class Disagreement extends Error {
  /** The number of steps until then. */
  readonly taken: number;

  constructor(message: string, taken: number) {
    super(message);
    this.taken = taken;
  }
}

/** @param folder with the accounts of `STAFF` */
export async function preparePlace(folder: string): Promise<Place> {
  const service = await openService(folder);
  try {
    const call = clientOf(`${service.origin}/v2`);
    const credentials = new Map<Who, Readonly<Record<string, string>>>([['anonymous', {}]]);
    for (const username of USERS) {
      const token = await logIn(call, username);
      credentials.set(username, bearer(token));
      if (username === 'root') continue;
      const name: Who = `${username}'s key`;
      const scopes = name === READING_KEY ? ['read:pets'] : ['read:pets', 'write:pets'];
      credentials.set(name, { api_key: (await createKey(call, token, scopes)).key });
    }
    return { folder, credentials };
  } finally {
    await service.stop();
  }
}

async function openService(folder: string): Promise<Service> {
  const config = testConfig(folder, ['--empty', '--access', 'secured']);
  // Feeds and pages exist only with the web application.
  return startService({ ...config, webFolder: await ensureWebBuilt() }, pino({ level: 'silent' }));
}

/** A client that is called with whole paths. */
function clientFor({ origin }: Service): Send {
  const send = clientOf(origin);
  return (method, path, options) => send(method, path.slice(1), options);
}

/** @throws Disagreement */
export async function runSteps(place: Place, steps: readonly Step[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'menagerie-model-'));
  await cp(place.folder, folder, { recursive: true });
  const run = new Run(place, folder);
  try {
    await run.start();
    for (const step of steps) await run.take(step);
    await run.end();
  } finally {
    await run.stop();
    await removeFolder(folder);
  }
}

class Run {
  readonly #place: Place;
  readonly #folder: string;
  readonly #script: string[] = [];
  #service: Service | undefined;
  #send: Send = () => Promise.reject(new Error('The service has not started.'));
  #taken = 0;
  #model = new Model();

  constructor(place: Place, folder: string) {
    this.#place = place;
    this.#folder = folder;
  }

  async start(): Promise<void> {
    this.#service = await openService(this.#folder);
    this.#send = clientFor(this.#service);
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
    this.#service = undefined;
  }

  async take(step: Step): Promise<void> {
    const index = this.#taken++;
    if (step === 'restart') {
      this.#script.push('# restart the service');
      await this.stop();
      return this.start();
    }
    const calls = step.map((call, place) => withNewWords(call, index, place));
    const answers = await Promise.all(calls.map((call) => this.#ask(call)));
    const [call] = calls;
    const [answer] = answers;
    if (call === undefined || answer === undefined) return;
    const complaint = this.#model.take(call, answer);
    if (complaint !== undefined) throw this.#disagreement(`${complaint}, got ${answer.status} ${answer.text}`);
    await this.#learnVersions();
  }

  /** Compares all ways out with the model. */
  async end(): Promise<void> {
    // One more than the extremes, which is another one in other runs.
    const others = ACTORS.filter((_who, index) => index === this.#taken % ACTORS.length);
    const readers = [...new Set<Who>(['anonymous', 'edna', ...others])].map((who) => ({
      isStaff: this.#model.isStaff(who),
      who,
      read: async (path: string) => this.#send('GET', path, { headers: this.#headersOf(who) }),
    }));
    const complaint = await checkWaysOut(this.#model, readers).catch((error: Error) => error.message);
    if (complaint !== undefined) throw this.#disagreement(complaint);
  }

  async #ask(call: Call): Promise<Answer> {
    const { method, path, options } = requestOf(call, this.#model);
    this.#script.push(curlLine(call.by, { method, path, options }));
    const headers = { ...options.headers, ...this.#headersOf(call.by) };
    const { status, text, headers: received } = await this.#send(method, path, { ...options, headers });
    this.#script.push(`# ${status} ${text.slice(0, 300)}`);
    return { status, text, etag: received.get('etag') };
  }

  /** A deletion has no ETag: its version is in the history. */
  async #learnVersions(): Promise<void> {
    for (const [id, versions] of this.#model.pets) {
      if (versions.at(-1)?.version !== UNKNOWN) continue;
      const { text } = await this.#send('GET', `/v2/pet/${id}/history?limit=1000`, {
        headers: this.#headersOf('root'),
      });
      this.#model.learnVersions(
        id,
        [...text.matchAll(/\{"version":(\d+),/g)].map(([, one = '']) => BigInt(one)),
      );
    }
  }

  #headersOf(who: Who): Readonly<Record<string, string>> {
    return this.#place.credentials.get(who) ?? {};
  }

  #disagreement(message: string): Disagreement {
    return new Disagreement(`${message}\n\n${this.#script.join('\n')}\n`, this.#taken);
  }
}
