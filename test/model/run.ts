import { setTimeout as delay } from 'node:timers/promises';
import { QUIET_MS } from '../../src/features/saved-searches/domain/pet-run.ts';
import { clientOf, type Call as Send } from '../support/client.ts';
import { bearer } from '../support/secured.ts';
import { openTables, type StoredTables } from '../support/stored.ts';
import { checkUserMail, FIRST_USER } from './accounts.ts';
import { Candidates, NO_ANSWER, type Exchange } from './candidates.ts';
import { beginRequest } from './held-request.ts';
import { checkEnquiryMail, PERSONS, targetsIn } from './enquiries.ts';
import { Followers } from './followers.ts';
import { checkMatches, erasePersons } from './matches.ts';
import type { Answer } from './model.ts';
import { sentChange } from './pet-rules.ts';
import { removePlace, type Opened, type Place } from './place.ts';
import { answersIn, bulkRequestOf, curlLine, requestOf } from './requests.ts';
import {
  ACTORS,
  isOfRun,
  NAMES,
  USERS,
  withNewWords,
  type AccountCall,
  type Again,
  type Bulk,
  type Call,
  type Change,
  type Cut,
  type Held,
  type Read,
  type SentAccountCall,
  type SentCall,
  type SentChange,
  type SentEnquiryCall,
  type Step,
  type Who,
} from './steps.ts';
import { checkWaysOut } from './ways-out.ts';

/* A run: the calls of its steps are sent to a new service, and what it responds is compared with the model. */

/** The service and the model disagree. The message has the calls as a shell script. */
export class Disagreement extends Error {
  /** The number of steps until then. */
  readonly taken: number;

  constructor(message: string, taken: number) {
    super(message);
    this.taken = taken;
  }
}

/** A client that is called with whole paths. */
function clientFor({ origin }: Opened): Send {
  const send = clientOf(origin);
  return (method, path, options) => send(method, path.slice(1), options);
}

/** @throws Disagreement */
export async function runSteps(place: Place, steps: readonly Step[]): Promise<void> {
  const run = new Run(place, await place.copy());
  try {
    await run.start();
    await run.follow();
    for (const step of steps) await run.take(step);
    await run.end();
  } finally {
    await run.close();
  }
}

/** Resolves after the first success, or when there is none. */
async function firstSuccess(answers: readonly Promise<Answer>[]): Promise<void> {
  const successes = answers.map(async (answer) => {
    if ((await answer).status !== 200) throw new Error('It is none.');
  });
  await Promise.any(successes).catch(() => {});
}

/** In which a part of concurrent requests is executed. */
const SOME_MS = 10;

const ENQUIRIES: SentEnquiryCall = {
  kind: 'listEnquiries',
  by: 'root',
  id: '',
  person: 0,
  spelling: 0,
  text: '',
  back: 0,
  target: { id: '', text: '' },
};

/** Without a response, or refused by a process that stops. */
function isOpen({ status }: Answer): boolean {
  return status === 0 || status === 503;
}

/** A retry after another refusal, or with another credential, is executed: it may be permitted now. */
function isKept({ call, answer }: Exchange): boolean {
  return 'key' in call && call.key !== undefined && !isOfRun(call.by) && [200, 404, 409, 412].includes(answer.status);
}

class Run {
  readonly #place: Place;
  readonly #folder: string;
  readonly #script: string[] = [];
  #service: Opened | undefined;
  #send: Send = () => Promise.reject(new Error('The service has not started.'));
  #taken = 0;
  #aheadMs = 0;
  readonly #followers: Followers;
  readonly #candidates = new Candidates();
  /** Those with a key whose response is kept. */
  readonly #keyed: Exchange[] = [];

  constructor(place: Place, folder: string) {
    this.#place = place;
    this.#folder = folder;
    this.#followers = new Followers(place.webhook);
  }

  async start(): Promise<void> {
    this.#service = await this.#place.open(this.#folder, this.#aheadMs);
    this.#send = clientFor(this.#service);
  }

  /** Begins to follow the changes. */
  follow(): Promise<void> {
    return this.#followers.open(() => this.#service?.origin ?? 'http://127.0.0.1:1', this.#headersOf('root'));
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
    this.#service = undefined;
  }

  async close(): Promise<void> {
    this.#followers.close();
    await this.stop();
    await removePlace(this.#folder);
  }

  async take(step: Step): Promise<void> {
    const index = this.#taken++;
    if (step === 'restart') {
      this.#script.push('# restart the service');
      await this.stop();
      return this.start();
    }
    if ('held' in step) return this.#takeHeld(step, index);
    if ('bulk' in step) return this.#takeBulk(step, index);
    if ('again' in step) return this.#takeAgain(step);
    if ('cut' in step) return this.#takeCut(step, index);
    const calls = await this.#sentCalls(step, index);
    if (calls.length > 1) this.#script.push(`# ${calls.length} at the same time`);
    const exchanges = await Promise.all(calls.map(async (call) => ({ call, answer: await this.#ask(call) })));
    this.#require(this.#candidates.take(exchanges));
    this.#keyed.push(...exchanges.filter(isKept));
    await this.#learnAll();
    if (calls.some((call) => 'newName' in call)) await this.#compareAccounts();
  }

  async #takeBulk({ bulk }: Bulk, index: number): Promise<void> {
    const calls = bulk.map((call, place) => this.#sentChange(call, index, place));
    const by = calls[0]?.by ?? 'root';
    const { method, path, options } = bulkRequestOf(calls);
    this.#script.push(curlLine(by, { method, path, options }));
    const headers = { ...options.headers, ...this.#headersOf(by) };
    const response = await this.#send(method, path, { ...options, headers });
    this.#script.push(`# ${response.status} ${response.text}`);
    const answers = answersIn(calls, response);
    const exchanges = calls.flatMap((call, place) =>
      answers.slice(place, place + 1).map((answer) => ({ call, answer })),
    );
    this.#require(this.#candidates.take(exchanges));
    await this.#learnAll();
  }

  async #takeAgain({ again }: Again): Promise<void> {
    const first = this.#keyed.at(-1 - again);
    if (first === undefined) return;
    this.#require(this.#candidates.takeAgain(first, await this.#ask(first.call)));
  }

  async #takeCut({ cut, waits }: Cut, index: number): Promise<void> {
    const calls = await this.#sentCalls(cut, index);
    this.#script.push(`# ${calls.length} at the same time, and an end ${waits ? 'after a success' : 'meanwhile'}`);
    const answers = calls.map((call) => this.#ask(call).catch(() => NO_ANSWER));
    await (waits ? firstSuccess(answers) : delay(SOME_MS));
    await this.#service?.end();
    const first = await Promise.all(answers);
    await this.start();
    // What a dead process has claimed ends some seconds later.
    await this.#withTables(async ({ query }) => {
      await query('update idempotent_request set claimed_until_ms = 0');
      await query('update webhook set leased_until_ms = 0');
    });
    const exchanges: Exchange[] = [];
    for (const [place, call] of calls.entries()) {
      const { [place]: answer = NO_ANSWER } = first;
      exchanges.push({ call, answer: isOpen(answer) ? await this.#retry(call) : answer });
    }
    this.#require(this.#candidates.takeCut(exchanges, await this.#ids()));
    this.#keyed.push(...exchanges.filter(isKept));
    await this.#learnAll();
    await this.#compare({ kind: 'findPets', by: 'root', id: '' });
  }

  /** @returns the first response if the call was executed, and otherwise the one of now */
  async #retry(call: SentCall): Promise<Answer> {
    if (!('key' in call) || call.key === undefined) return NO_ANSWER;
    for (;;) {
      const answer = await this.#ask(call);
      if (answer.text?.includes('still in progress')) await delay(20);
      else if (answer.text?.includes('was executed, at least partly')) return NO_ANSWER;
      // Its author may have lost the permission after the first attempt.
      else return answer.status === 401 || answer.status === 403 ? NO_ANSWER : answer;
    }
  }

  async #ids(): Promise<readonly string[]> {
    const { text } = await this.#send('GET', '/v2/pet?limit=100', { headers: this.#headersOf('root') });
    return [...text.matchAll(/\{"id":(\d+)/g)].map(([, id = '']) => id);
  }

  async #takeHeld(step: Held, index: number): Promise<void> {
    const [held, meanwhile] = [
      await this.#sentCall(step.held, index, 0),
      await this.#sentCall(step.meanwhile, index, 1),
    ];
    const { method, path, options } = requestOf(held, this.#place.formKey);
    this.#script.push(
      `# the body of this request arrives after the next one:\n${curlLine(held.by, { method, path, options })}`,
    );
    const headers = { ...options.headers, ...this.#headersOf(held.by) };
    const url = `${this.#service?.origin}${path}`;
    const finish = await beginRequest(url, { method, headers, body: JSON.stringify(options.json) });
    const between = { call: meanwhile, answer: await this.#ask(meanwhile) };
    const answer = await finish();
    this.#script.push(`# the first one: ${answer.status} ${answer.text}`);
    this.#require(this.#candidates.takeHeld({ call: held, answer }, between));
    await this.#learnAll();
    if ('newName' in meanwhile) await this.#compareAccounts();
  }

  async #learnAll(): Promise<void> {
    for (const id of this.#candidates.unknown()) await this.#learn(id);
    this.#candidates.reduce();
    if (this.#candidates.isOne) return;
    for (const id of this.#candidates.ids()) await this.#learn(id);
    for (const id of this.#candidates.ids()) await this.#compare({ kind: 'getPetById', by: 'root', id });
    await this.#compareAccounts();
    await this.#compare(ENQUIRIES);
  }

  /** The users, and which credentials of the run are active. */
  async #compareAccounts(): Promise<void> {
    for (const id of [...USERS, ...NAMES]) await this.#compare({ kind: 'getUserAsAdmin', by: 'root', id });
    for (const by of ACTORS.filter(isOfRun)) {
      await this.#compare(this.#ofAccount({ kind: 'getAccount', by }));
      await this.#compare({ kind: 'listPetHistory', by, id: '1' });
    }
  }

  async #compare(call: Read | SentEnquiryCall | SentAccountCall): Promise<void> {
    this.#require(this.#candidates.take([{ call, answer: await this.#ask(call) }]));
  }

  /** Compares all ways out with the model. */
  async end(): Promise<void> {
    // Everyone learns of it, and so of what was sent before.
    await this.take([
      { kind: 'addPet', by: 'root', fields: { name: 'Zqzqlast', status: 'available' }, back: 0, isNew: false },
    ]);
    await this.#compare(ENQUIRIES);
    const { model } = this.#candidates;
    // One more than the extremes, which is another one in other runs.
    const others = ACTORS.filter((_who, index) => index === this.#taken % ACTORS.length);
    const readers = [...new Set<Who>(['anonymous', 'edna', ...others])].map((who) => ({
      isStaff: model.isStaff(who),
      who,
      read: async (path: string) => this.#send('GET', path, { headers: this.#headersOf(who) }),
    }));
    this.#require(await this.#followers.check(model).catch((error: Error) => error.message));
    this.#require(await checkWaysOut(model, readers).catch((error: Error) => error.message));
    for (const name of NAMES.filter((one) => model.accounts.names.includes(one)))
      await this.#compare(this.#ofAccount({ kind: 'deleteUser', by: 'root', name }));
    this.#script.push('# restart the service when no pet has changed for long');
    await this.stop();
    this.#aheadMs = QUIET_MS;
    await this.start();
    const asRoot = { headers: this.#headersOf('root') };
    const readSystem = async () => (await this.#send('GET', '/v2/admin/system', asRoot)).text;
    // What a dead process was sending is sent now.
    this.#require(await checkEnquiryMail(model.enquiries, this.#place.mail));
    this.#require(checkUserMail(this.#place.mail.received));
    this.#require(await checkMatches(model, this.#place.mail, readSystem).catch((error: Error) => error.message));
    for (const person of PERSONS.keys())
      await this.#compare({ ...ENQUIRIES, kind: 'eraseEnquiries', person, spelling: 1 });
    const erase = (email: string) => this.#send('POST', '/v2/saved-searches/erase', { ...asRoot, json: { email } });
    this.#require(
      await this.#withTables((tables) => erasePersons(erase, tables)).catch((error: Error) => error.message),
    );
  }

  /** Not while the process starts: it should find the files as a dead one left them. */
  async #withTables<T>(use: (tables: StoredTables) => Promise<T>): Promise<T> {
    const ends: (() => Promise<void>)[] = [];
    try {
      return await use(await openTables({ after: (end) => void ends.push(end) }, this.#folder));
    } finally {
      for (const end of ends) await end();
    }
  }

  #sentCalls(calls: readonly Call[], step: number): Promise<readonly SentCall[]> {
    return Promise.all(calls.map((call, place) => this.#sentCall(call, step, place)));
  }

  async #sentCall(call: Call, step: number, place: number): Promise<SentCall> {
    if ('fields' in call) return this.#sentChange(call, step, place);
    if ('newName' in call) return this.#ofAccount(withNewWords(call, step, place));
    if (!('person' in call)) return call;
    const headers = this.#headersOf('root');
    const targets = targetsIn((await this.#send('GET', '/v2/enquiries?limit=100', { headers })).text);
    return { ...withNewWords(call, step, place), target: targets[call.back] ?? { id: '1', text: '' } };
  }

  #ofAccount(call: Pick<AccountCall, 'kind' | 'by'> & Partial<AccountCall>): SentAccountCall {
    const keyId = this.#candidates.model.accounts.sentBy('a key')?.id ?? this.#place.keyId;
    return { ...FIRST_USER, ...call, keyId };
  }

  #sentChange(call: Change, step: number, place: number): SentChange {
    return sentChange(withNewWords(call, step, place), this.#candidates.model, `"${step}-${place}"`);
  }

  async #ask(call: SentCall): Promise<Answer> {
    const { method, path, options } = requestOf(call, this.#place.formKey);
    this.#script.push(curlLine(call.by, { method, path, options }));
    const headers = { ...options.headers, ...this.#headersOf(call.by) };
    const { status, text, headers: received } = await this.#send(method, path, { ...options, headers });
    this.#script.push(`# ${status} ${text.slice(0, 300)}`);
    return { status, text, etag: received.get('etag') };
  }

  async #learn(id: string): Promise<void> {
    const headers = this.#headersOf('root');
    const { text } = await this.#send('GET', `/v2/pet/${id}/history?limit=1000`, { headers });
    const entries = [...text.matchAll(/\{"version":(\d+),"at":"[^"]+","action":"(\w+)","actor":\{"id":(\d+)/g)];
    const history = entries.map(([, version = '', action = '', by = '']) => ({ version: BigInt(version), action, by }));
    this.#require(this.#candidates.learn(id, history));
  }

  #headersOf(who: Who): Readonly<Record<string, string>> {
    const secret = this.#candidates.model.accounts.sentBy(who)?.secret;
    return secret === undefined ? this.#place.headersOf(who) : bearer(secret);
  }

  #require(complaint: string | undefined): void {
    if (complaint === undefined) return;
    throw new Disagreement(`${complaint}\n\n${this.#script.join('\n')}\n`, this.#taken);
  }
}
