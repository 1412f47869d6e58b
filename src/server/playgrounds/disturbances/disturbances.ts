import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure } from '../../../domain/failure.ts';
import type { BugId, BugState } from '../../../domain/playgrounds/bugs.ts';
import type { FaultKind, FaultRuleState, FixedResponse, NewFaultRule } from '../../../domain/playgrounds/faults.ts';
import type { Clock } from '../../../domain/ports.ts';
import type { RawExchange } from '../../../http/pipeline/mount.ts';
import { HeldAnswer } from './answers/held-answer.ts';
import { readAhead } from './answers/read-ahead.ts';
import { type Visit, visitOf } from './answers/visit.ts';
import type { Answer } from './bugs/planted-bug.ts';
import { PlantedBugs } from './bugs/planted-bugs.ts';
import { chooseFaults, type ChosenFaults } from './faults/chosen-faults.ts';
import { FAULT_HEADER } from './faults/fault-header.ts';
import { FaultRules } from './faults/fault-rules.ts';

const OWN_FAULTS = FAULT_HEADER.toLowerCase();

/** The memory of a delayed request: all that wait may be answered at the same moment, each with a large pet. */
const DELAYED_BYTES = 256 * 1024;

const RETRY_AFTER_SECONDS = 10;

/** The memory of responses that are held, of requests that are delayed, and of rules. */
interface HeldMemory {
  readonly room: number;
  take(part: 'held', bytes: number): void;
}

/** The errors of requests that are refused by a fault. */
const refusals = new WeakMap<IncomingMessage, Error>();

/** The error to respond with, instead of handling the request. */
export function refusalOf(request: IncomingMessage): Error | undefined {
  return refusals.get(request);
}

/** The faults and planted bugs of a playground, at its door: they see requests and answers, and nothing of its data. */
export class Disturbances {
  readonly #rules = new FaultRules();
  readonly #bugs: PlantedBugs;
  readonly #memory: HeldMemory | undefined;
  #ruleBytes = 0;

  /** @param memory undefined without a limit */
  constructor(clock: Clock, isSecured: boolean, memory?: HeldMemory) {
    this.#bugs = new PlantedBugs(clock, isSecured);
    this.#memory = memory;
  }

  faults(): readonly FaultRuleState[] {
    return this.#rules.list();
  }

  /** @throws Failure if the memory of the playground is too small for the rules; then nothing changes */
  setFaults(rules: readonly NewFaultRule[]): void {
    const bytes = 2 * JSON.stringify(rules).length;
    this.#memory?.take('held', bytes - this.#ruleBytes);
    this.#ruleBytes = bytes;
    this.#rules.replace(rules);
  }

  bugs(): readonly BugState[] {
    return this.#bugs.list();
  }

  setBugs(ids: readonly BugId[]): void {
    this.#bugs.replace(ids);
  }

  /** The data of the playground has been replaced. */
  restart(): void {
    this.#rules.restart();
    this.#bugs.restart();
  }

  /** Handles the request with its faults and bugs. */
  pass(exchange: RawExchange, handle: () => void): void {
    if (this.#rules.isEmpty && this.#bugs.isEmpty && exchange.request.headers[OWN_FAULTS] === undefined) handle();
    else this.#disturb(exchange, handle);
  }

  #disturb(exchange: RawExchange, handle: () => void): void {
    const visit = visitOf(exchange);
    if (visit === undefined) handle();
    else if (!this.#rules.dependOnBody(visit)) this.#disturbVisit(visit, undefined, handle);
    else readAhead(visit.request, (body) => this.#disturbVisit(visit, body, handle));
  }

  #disturbVisit(visit: Visit, body: unknown, handle: () => void): void {
    const faults = chooseFaults(visit, this.#rules, body);
    const { delayMs } = faults;
    const hasRoom = delayMs === 0 || this.#holderFor(visit.response)(DELAYED_BYTES);
    const refusal = hasRoom ? faults.refusal : tooManyDelayed();
    if (refusal === undefined) this.#disturbAnswer(visit, faults);
    else refuse(visit, refusal, faults.response);
    if (delayMs > 0 && hasRoom) delayed(visit, delayMs, handle);
    else handle();
  }

  #disturbAnswer(visit: Visit, faults: ChosenFaults): void {
    const bugs = this.#bugs.bugsOf(visit);
    const { ofAnswer, events } = faults;
    this.#bugs.changeRequest(bugs, visit);
    if (bugs.size === 0 && ofAnswer === undefined && events === undefined) return;
    const { response } = visit;
    const held = new HeldAnswer(response, {
      events,
      ending: ofAnswer === 'cut-off' ? 'cut' : ofAnswer === 'connection-reset' ? 'reset' : undefined,
      hold: this.#holderFor(response),
      onStreamCut: () => faults.announce('cut-off'),
      change: (body) => {
        const changed = bugs.size === 0 ? body : this.#withBugs(bugs, visit, body);
        return ofAnswer === undefined ? changed : changeAnswerBy(ofAnswer, response, changed, faults);
      },
    });
    held.start();
  }

  /** Returns a function that takes memory until the response is sent, and returns whether there is enough. */
  #holderFor(response: ServerResponse): (bytes: number) => boolean {
    const memory = this.#memory;
    if (memory === undefined) return () => true;
    let held = 0;
    return (bytes) => {
      if (bytes > memory.room) return false;
      if (held === 0) response.once('close', () => memory.take('held', -held));
      held += bytes;
      memory.take('held', bytes);
      return true;
    };
  }

  #withBugs(bugs: ReturnType<PlantedBugs['bugsOf']>, visit: Visit, body: Buffer): Buffer {
    const { response } = visit;
    const names = response.getHeaderNames();
    const headers = Object.fromEntries(names.map((name) => [name, String(response.getHeader(name))]));
    const answer: Answer = { status: response.statusCode, body: body.toString(), headers };
    const changed = this.#bugs.changeAnswer(bugs, visit, answer);
    if (changed === answer) return body;
    response.statusCode = changed.status;
    for (const [name, value] of Object.entries(changed.headers))
      if (value === undefined) response.removeHeader(name);
      else if (value !== headers[name]) response.setHeader(name, value);
    if (changed.body === answer.body) return body;
    // The tag is that of the right answer: no cache may keep this one under it.
    response.setHeader('cache-control', 'no-store');
    return Buffer.from(changed.body);
  }
}

/** A response of a rule replaces that of the refusal, which has all headers that clients need, as those of CORS. */
function refuse({ request, response }: Visit, refusal: Error, fixed: FixedResponse | undefined): void {
  refusals.set(request, refusal);
  if (fixed !== undefined) new HeldAnswer(response, { change: () => replaceAnswer(response, fixed) }).start();
}

function replaceAnswer(response: ServerResponse, { status, headers, body }: FixedResponse): Buffer {
  response.statusCode = status;
  response.removeHeader('content-encoding');
  response.removeHeader('content-type');
  if (body !== undefined)
    response.setHeader('content-type', typeof body === 'string' ? 'text/plain' : 'application/json');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('cache-control', 'no-store');
  return Buffer.from(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
}

function tooManyDelayed(): Failure {
  const message = 'There is no memory left to delay this request. Try again later.';
  return new Failure('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Handles a request later, unless its client is gone by then. */
function delayed({ response }: Visit, delayMs: number, handle: () => void): void {
  const timer = setTimeout(() => {
    if (!response.destroyed) handle();
  }, delayMs);
  response.once('close', () => clearTimeout(timer));
}

/** Makes a fault of an answer that is sent completely. Its header names the fault, unless the answer cannot have it. */
function changeAnswerBy(kind: FaultKind, response: ServerResponse, body: Buffer, faults: ChosenFaults): Buffer {
  if (body.byteLength === 0) return body;
  if (kind === 'malformed-json' && !isJson(response)) return body;
  faults.announce(kind);
  // The tag is that of the right answer: no cache may keep this one under it.
  response.removeHeader('etag');
  response.removeHeader('last-modified');
  response.setHeader('cache-control', 'no-store');
  if (kind === 'malformed-json') return body.subarray(0, -1);
  // A type that browsers never interpret, together with `nosniff`.
  if (kind === 'wrong-content-type') response.setHeader('content-type', 'text/plain');
  return body;
}

function isJson(response: ServerResponse): boolean {
  return /^application\/(?:[\w.-]+\+)?json/.test(String(response.getHeader('content-type')));
}
