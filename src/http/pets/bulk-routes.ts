import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { bulkDoneText, bulkFailedText, bulkUnexpectedText } from '../../api/bulk-answers.ts';
import { readBulkEntry, type BulkEntry } from '../../api/bulk-entries.ts';
import type { Actor } from '../../domain/access.ts';
import { Failure } from '../../domain/failure.ts';
import type { PetCatalogue } from '../../domain/pets/pet-catalogue.ts';
import { actorOf } from '../accounts/identify-actor.ts';
import { NDJSON_TYPE } from '../negotiation.ts';
import { sendChunks } from '../answer.ts';
import { endsTooEarly, readJson } from '../request-bodies.ts';
import type { AddRoute } from '../routes.ts';
import { noLine, readLines, type Line } from './ndjson-lines.ts';
import { answerInOrder, createHeldAnswers } from './ordered-answers.ts';
import { preconditionOf } from './preconditions.ts';

export interface BulkRoutesNeeds {
  catalogue: PetCatalogue;
  log: Logger;
}

const LIMITS = { maxLineBytes: 1024 * 1024, maxLines: 100_000 };

/** Many changes of pets in one request: a line for each, and a line answered for each, as they come and in their order. */
export function addBulkRoutes(add: AddRoute, { catalogue, log }: BulkRoutesNeeds): void {
  const held = createHeldAnswers();

  add('changePets', async (request, reply) => {
    const actor = actorOf(request);
    const { wholeLines } = request;
    const lines = readLines(wholeLines === null ? request.raw : Readable.from([wholeLines]), LIMITS);
    const first = await firstOf(lines);
    const inTurn = queueByPet();

    async function answer({ number, bytes }: Line): Promise<string> {
      try {
        if (number > LIMITS.maxLines) throw tooManyLines();
        if (bytes === undefined) throw lineTooLong();
        const entry = readBulkEntry(readJson(bytes, 'line'));
        return await inTurn(entry.id, () => change(catalogue, actor, entry, number));
      } catch (error) {
        if (error instanceof Failure) return bulkFailedText(number, error);
        log.error({ err: error, requestId: request.id, line: number }, 'unexpected error');
        return bulkUnexpectedText(number, request.id);
      }
    }

    reply.header('content-type', NDJSON_TYPE);
    return sendChunks(reply, answerInOrder(measured(first, lines), answer, held));
  });
}

async function change(catalogue: PetCatalogue, actor: Actor, entry: BulkEntry, line: number): Promise<string> {
  const { ifMatch, ifNoneMatch } = entry;
  const precondition = preconditionOf({ 'if-match': ifMatch, 'if-none-match': ifNoneMatch });
  if (entry.op === 'delete') {
    await catalogue.deletePet(actor, entry.id, precondition);
    return bulkDoneText(line, entry.id, undefined);
  }
  const { id, version } = await changed(catalogue, actor, entry, precondition);
  return bulkDoneText(line, id, version);
}

function changed(
  catalogue: PetCatalogue,
  actor: Actor,
  entry: Exclude<BulkEntry, { op: 'delete' }>,
  precondition: ReturnType<typeof preconditionOf>,
) {
  if (entry.op === 'create') return catalogue.addPet(actor, entry.id, entry.pet, precondition);
  if (entry.op === 'update') return catalogue.replacePet(actor, entry.id, entry.pet, precondition);
  return catalogue.editPet(actor, entry.id, entry.edit, precondition);
}

/** What is about the same pet is done one after the other; all else at once. */
function queueByPet() {
  const last = new Map<bigint, Promise<unknown>>();
  return <T>(id: bigint | undefined, work: () => Promise<T>): Promise<T> => {
    if (id === undefined) return work();
    const before = last.get(id);
    const mine = before === undefined ? work() : before.then(work);
    const ended = mine.then(
      () => {},
      () => {},
    );
    last.set(id, ended);
    void ended.then(() => last.get(id) === ended && last.delete(id));
    return mine;
  };
}

/** Until there is a line, the request can still be refused as a whole. */
async function firstOf(lines: AsyncGenerator<Line, void, void>): Promise<Line> {
  const first = await lines.next().catch(() => {
    throw endsTooEarly();
  });
  if (first.done === true) throw noLine();
  return first.value;
}

async function* measured(first: Line, others: AsyncIterable<Line>) {
  yield { ...first, byteLength: first.bytes?.length ?? 0 };
  for await (const line of others) yield { ...line, byteLength: line.bytes?.length ?? 0 };
}

function lineTooLong(): Failure {
  return new Failure('too-large', `A line may have at most ${LIMITS.maxLineBytes} bytes.`);
}

function tooManyLines(): Failure {
  return new Failure(
    'too-large',
    `A request may have at most ${LIMITS.maxLines} lines. This line and all after it were not looked at: send them in another request.`,
  );
}
