import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { movedTo, readBulkEntry, type BulkEntry } from '../../api/bulk-entries.ts';
import { bulkDoneText, bulkFailedText, bulkUnexpectedText } from '../../api/records/bulk.ts';
import type { Actor } from '../../domain/access.ts';
import { Failure } from '../../domain/failure.ts';
import type { StoredPet } from '../../domain/pets/pet.ts';
import type { PetCatalogue } from '../../domain/pets/pet-catalogue.ts';
import type { Precondition } from '../../domain/precondition.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { NDJSON_TYPE } from '../pipeline/negotiation.ts';
import { sendChunks } from '../pipeline/response.ts';
import { endsTooEarly, readJson } from '../pipeline/request-bodies.ts';
import { logFieldsOf } from '../pipeline/traced-requests.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import { noLine, readLines, type Line } from '../pipeline/ndjson-lines.ts';
import { HeldResponses, OrderedResponses } from './ordered-responses.ts';
import { preconditionOf } from './pet-resource.ts';

interface BulkRoutesDeps {
  catalogue: PetCatalogue;
  log: Logger;
}

const LIMITS = { maxLineBytes: 1024 * 1024, maxLines: 100_000 };

/**
 * Executes many changes of pets in one request. Each line is a change, and gets a response line in the same order, as
 * soon as possible.
 */
export class BulkRoutes {
  readonly #catalogue: PetCatalogue;
  readonly #log: Logger;
  readonly #held = new HeldResponses();

  constructor({ catalogue, log }: BulkRoutesDeps) {
    this.#catalogue = catalogue;
    this.#log = log;
  }

  addTo(add: AddRoute): void {
    add('changePets', this.#changePets);
  }

  readonly #changePets: Handler = async (request, reply) => {
    const actor = actorOf(request);
    const { wholeLines } = request;
    const lines = readLines(wholeLines === null ? request.raw : Readable.from([wholeLines]), LIMITS);
    const first = await firstOf(lines);
    const enqueue = queueByPet();
    const responses = new OrderedResponses({
      arriving: withLengths(first, lines),
      respond: (line) =>
        this.#respond(request, line, (entry) => enqueue(entry.id, () => this.#change(actor, entry, line))),
      held: this.#held,
    });
    reply.header('content-type', NDJSON_TYPE);
    return sendChunks(reply, responses.chunks());
  };

  /** Returns the response line. Never throws. */
  async #respond(
    request: FastifyRequest,
    { number, bytes }: Line,
    change: (entry: BulkEntry) => Promise<string>,
  ): Promise<string> {
    try {
      if (number > LIMITS.maxLines) throw tooManyLines();
      if (bytes === undefined) throw lineTooLong();
      return await change(readBulkEntry(readJson(bytes, 'line')));
    } catch (error) {
      if (error instanceof Failure) return bulkFailedText(number, error);
      this.#log.error({ err: error, ...logFieldsOf(request), line: number }, 'unexpected error');
      return bulkUnexpectedText(number, request.id);
    }
  }

  async #change(actor: Actor, entry: BulkEntry, { number }: Line): Promise<string> {
    const { ifMatch, ifNoneMatch } = entry;
    const precondition = preconditionOf({ 'if-match': ifMatch, 'if-none-match': ifNoneMatch });
    if (entry.op === 'delete') {
      await this.#catalogue.deletePet(actor, entry.id, precondition);
      return bulkDoneText(number, entry.id, undefined);
    }
    const { id, version } = await this.#store(actor, entry, precondition).catch((error: unknown) => {
      throw movedTo(entry.profileIn, error);
    });
    return bulkDoneText(number, id, version);
  }

  #store(
    actor: Actor,
    entry: Exclude<BulkEntry, { op: 'delete' }>,
    precondition: Precondition | undefined,
  ): Promise<StoredPet> {
    if (entry.op === 'create') return this.#catalogue.addPet(actor, entry.id, entry.pet, precondition);
    if (entry.op === 'update') return this.#catalogue.replacePet(actor, entry.id, entry.pet, precondition);
    return this.#catalogue.editPet(actor, entry.id, entry.edit, precondition);
  }
}

/** Serializes changes of the same pet. Changes of different pets run concurrently. */
function queueByPet() {
  const last = new Map<bigint, Promise<unknown>>();
  return <T>(id: bigint | undefined, work: () => Promise<T>): Promise<T> => {
    if (id === undefined) return work();
    const previous = last.get(id);
    const result = previous === undefined ? work() : previous.then(work);
    const ended = result.then(
      () => {},
      () => {},
    );
    last.set(id, ended);
    void ended.then(() => last.get(id) === ended && last.delete(id));
    return result;
  };
}

/** Before the first line, the request as a whole can still be refused. */
async function firstOf(lines: AsyncGenerator<Line, void, void>): Promise<Line> {
  const first = await lines.next().catch(() => {
    throw endsTooEarly();
  });
  if (first.done === true) throw noLine();
  return first.value;
}

async function* withLengths(first: Line, others: AsyncIterable<Line>) {
  yield { ...first, byteLength: first.bytes?.length ?? 0 };
  for await (const line of others) yield { ...line, byteLength: line.bytes?.length ?? 0 };
}

function lineTooLong(): Failure {
  return new Failure('too-large', `A line may have at most ${LIMITS.maxLineBytes} bytes.`);
}

function tooManyLines(): Failure {
  return new Failure(
    'too-large',
    `A request may have at most ${LIMITS.maxLines} lines. This line and the following ones were not processed: send them in another request.`,
  );
}
