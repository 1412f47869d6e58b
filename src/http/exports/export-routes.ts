import type { FastifyReply, FastifyRequest } from 'fastify';
import { choiceOf, type Query } from '../../api/queries/query-values.ts';
import { eventText } from '../../api/records/change-event.ts';
import type { ExportedPet } from '../../api/records/profile.ts';
import { readJson } from '../../client/int64-text.ts';
import { Failure } from '../../domain/failure.ts';
import type { ChangeStream } from '../../domain/events/change-stream.ts';
import { visiblePets, type ExportAudience, type PetExport } from '../../domain/exports/pet-export.ts';
import { withPhotoOrigin, type StoredPet } from '../../domain/pets/pet.ts';
import { BYTE_ORDER_MARK } from '../../transfer/csv.ts';
import { petCsv } from '../../transfer/pet-table.ts';
import { WRITTEN_FOR } from '../../transfer/programs/programs.ts';
import { exportedColumns } from '../../transfer/profiles/profile-columns.ts';
import { FILE_FORMATS, type FileFormat } from '../../transfer/rows.ts';
import type { ListPage } from '../../domain/ports.ts';
import type { SourcePet } from '../../domain/search/index-source.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { NDJSON_TYPE } from '../pipeline/negotiation.ts';
import { sendRecords } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import { streamedTexts } from '../pets/lists.ts';

interface ExportRoutesDeps {
  petExport: PetExport;
  changes: ChangeStream;
  baseOf: (request: FastifyRequest) => string;
}

const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

export class ExportRoutes {
  readonly #deps: ExportRoutesDeps;

  constructor(deps: ExportRoutesDeps) {
    this.#deps = deps;
  }

  addTo(add: AddRoute): void {
    add('exportPets', this.#exportPets);
    add('exportPetHistory', this.#exportPetHistory);
  }

  readonly #exportPets: Handler = async (request, reply) => {
    const { petExport, baseOf } = this.#deps;
    const query = request.query as Query;
    const format = choiceOf<FileFormat>(query, 'format', FILE_FORMATS) ?? 'ndjson';
    const writtenFor = choiceOf(query, 'for', WRITTEN_FOR);
    const delimiter = choiceOf(query, 'delimiter', ['comma', 'semicolon'] as const);
    if (format !== 'csv' && (writtenFor ?? delimiter) !== undefined)
      throw new Failure('invalid-input', 'for and delimiter require format=csv.');
    const hasProfiles = choiceOf(query, 'include', ['profile']) !== undefined || writtenFor !== undefined;
    const origin = baseOf(request);
    const audience = await petExport.audienceOf(actorOf(request));
    const profileTextOf = hasProfiles ? audience.profileText : undefined;
    // With the profile as a part of the text, its length counts for the size of a chunk.
    const listLines = async (page: ListPage) =>
      (await petExport.listPets(page)).map((pet) => ({ ...pet, text: lineOf(pet, origin, profileTextOf) }));
    const columns = hasProfiles ? exportedColumns(audience.ownFields, audience.isStaff) : [];
    const csv =
      format === 'csv' ? petCsv({ columns, delimiter, writtenFor, organisation: audience.organisation }) : undefined;
    const begin = csv === undefined ? '' : BYTE_ORDER_MARK + csv.header;
    const textOf = csv === undefined ? linesOf : (pets: readonly StoredPet[]) => csv.textOf(pets.map(exportedPet));
    const texts = streamedTexts(listLines, (pets) => textOf(visiblePets(pets, audience)));
    return sendFile(
      request,
      reply,
      `pets.${format}`,
      format === 'csv' ? CSV_TYPE : NDJSON_TYPE,
      beginWith(begin, texts),
    );
  };

  readonly #exportPetHistory: Handler = async (request, reply) => {
    const { petExport, changes, baseOf } = this.#deps;
    const { isStaff } = await changes.subscribe(actorOf(request), { kinds: ['pet'] }, 0n);
    const origin = baseOf(request);
    const lines = async function* () {
      for await (const batch of petExport.listChanges(isStaff))
        yield batch.map((event) => `${eventText(event, origin)}\n`).join('');
    };
    return sendFile(request, reply, 'pet-history.ndjson', NDJSON_TYPE, lines());
  };
}

/** The text of a pet, with its profile as a further field. */
function lineOf(pet: SourcePet, origin: string, profileTextOf: ExportAudience['profileText'] | undefined): string {
  const text = withPhotoOrigin(pet.text, origin);
  return profileTextOf === undefined ? text : `${text.slice(0, -1)},"profile":${profileTextOf(pet)}}`;
}

function linesOf(pets: readonly StoredPet[]): string {
  return pets.map(({ text }) => `${text}\n`).join('');
}

function exportedPet({ text }: StoredPet): ExportedPet {
  return readJson(text) as ExportedPet;
}

async function* beginWith(begin: string, texts: AsyncIterable<string>): AsyncGenerator<string> {
  if (begin !== '') yield begin;
  yield* texts;
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  fileName: string,
  mediaType: string,
  texts: AsyncIterable<string>,
): FastifyReply {
  reply.headers({ 'content-type': mediaType, 'content-disposition': `attachment; filename="${fileName}"` });
  return sendRecords(request, reply, texts);
}
