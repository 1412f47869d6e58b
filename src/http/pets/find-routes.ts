import type { FastifyReply, FastifyRequest } from 'fastify';
import { readPetQuestion, readWords } from '../../contract/find-queries.ts';
import { petCoversText } from '../../contract/pictures/photo-texts.ts';
import { flagOf, timeOf, type Query } from '../../contract/query-values.ts';
import { Failure } from '../../domain/failure.ts';
import type { LabelCount, LabelKind } from '../../domain/finding/counts.ts';
import type { FoundPart, PetFinding } from '../../domain/finding/pet-finding.ts';
import { parseInt64 } from '../../domain/int64.ts';
import type { PetPhotos } from '../../domain/pets/pet-photos.ts';
import { withPhotoOrigin, type StoredPet } from '../../domain/pets/pet.ts';
import { actorOf } from '../accounts/identify-actor.ts';
import { sendJson } from '../answer.ts';
import { readLimit } from '../paging.ts';
import type { AddRoute } from '../routes.ts';
import { cursorsOf, nextUrl } from './find-cursors.ts';

const DEFAULT_LIMIT = 50;

export interface FindRoutesNeeds {
  finding: PetFinding;
  petPhotos: PetPhotos;
  /** Where the client of a request reaches the service. */
  baseOf: (request: FastifyRequest) => string;
}

/** Looking into the catalogue, beyond Petstore's operations. */
export function addFindRoutes(add: AddRoute, { finding, petPhotos, baseOf }: FindRoutesNeeds): void {
  add('findPets', async (request, reply) => {
    const query = request.query as Query;
    const question = readPetQuestion(query);
    const limit = readLimit(query['limit'], DEFAULT_LIMIT);
    const hasCovers = flagOf(query, 'covers');
    const cursors = cursorsOf(question, 5);
    const part = { limit, ...partOf(cursors.read(query['cursor'])) };
    const { pets, total, last } = await finding.find(actorOf(request), question, part);
    const next = last && cursors.write([last.rank, last.name, last.id, total.count, total.exact]);
    const origin = baseOf(request);
    linkNext(request, reply, { limit, next, origin });
    const texts = withPhotoOrigin(pets.map(({ text }) => text).join(), origin);
    const covers = hasCovers ? await coversField(pets, origin) : '';
    return sendJson(reply, `{"pets":[${texts}],${covers}${JSON.stringify({ total, next }).slice(1)}`);
  });

  add('listTags', (request, reply) => sendLabels(request, reply, 'tag'));
  add('listCategories', (request, reply) => sendLabels(request, reply, 'category'));

  add('getStatistics', async ({ query }, reply) => {
    const { total, statuses, withoutStatus, categories, tags, days } = await finding.statistics(
      timeOf(query as Query, 'since'),
      timeOf(query as Query, 'until'),
    );
    return sendJson(reply, JSON.stringify({ total, statuses, withoutStatus, categories, tags, days }));
  });

  async function coversField(pets: readonly StoredPet[], origin: string): Promise<string> {
    return `"covers":${petCoversText(await petPhotos.covers(pets), origin)},`;
  }

  async function sendLabels(request: FastifyRequest, reply: FastifyReply, kind: LabelKind) {
    const query = request.query as Query;
    const words = readWords(query);
    const limit = readLimit(query['limit'], DEFAULT_LIMIT);
    const cursors = cursorsOf([kind, words], 2);
    // One more than asked for tells whether there is a next page.
    const found = await finding.listLabels(kind, words, labelOf(cursors.read(query['cursor'])), limit + 1);
    const labels = found.slice(0, limit);
    const last = found.length > limit ? labels.at(-1) : undefined;
    const next = last && cursors.write([last.name, last.count]);
    linkNext(request, reply, { limit, next, origin: baseOf(request) });
    return sendJson(reply, JSON.stringify(labels.map(({ name, count }) => ({ name, count }))));
  }
}

function linkNext(
  request: FastifyRequest,
  reply: FastifyReply,
  { limit, next, origin }: { limit: number; next: string | undefined; origin: string },
): void {
  if (next !== undefined) reply.header('link', `<${nextUrl(request, limit, next, origin)}>; rel="next"`);
}

/** What a cursor says of the part before. The mark of its question was right, but somebody may have made it. */
function partOf(values: readonly string[] | undefined): Pick<FoundPart, 'after' | 'total'> {
  if (values === undefined) return { after: undefined, total: undefined };
  const [rank = '', name = '', id = '', count = '', exact] = values;
  return {
    after: { rank: demandInt64(rank), name: demandPlain(name), id: demandInt64(id) },
    total: { count: Number(demandInt64(count)), exact: exact === 'true' },
  };
}

function labelOf(values: readonly string[] | undefined): LabelCount | undefined {
  if (values === undefined) return undefined;
  const [name = '', count = ''] = values;
  return { name: demandPlain(name, false), count: Number(demandInt64(count)) };
}

function demandInt64(text: string): bigint {
  const value = parseInt64(text);
  if (value === undefined) throw forged();
  return value;
}

/** As name keys are, or at least as every database takes it. */
function demandPlain(text: string, isKey = true): string {
  if (isKey ? !/^[\p{L}\p{N}-]*$/u.test(text) : text.includes('\0') || !text.isWellFormed()) throw forged();
  return text;
}

function forged(): Failure {
  return new Failure('invalid-input', 'The cursor is not one that this service gave. Begin again without a cursor.');
}
