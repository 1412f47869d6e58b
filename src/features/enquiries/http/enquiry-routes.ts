import type { FastifyReply, FastifyRequest } from 'fastify';
import { readEnquiryCriteria } from '../api/enquiry-queries.ts';
import { choiceOf, type Query } from '../../../api/queries/query-values.ts';
import { enquiryFormText, enquirySettingsText, readEnquirySettings, SentEnquirySettings } from '../api/enquiry-form.ts';
import {
  enquiryText,
  overviewText,
  readEnquiry,
  readEnquiryUpdate,
  SentEnquiry,
  SentEnquiryEntry,
  SentEnquiryUpdate,
} from '../api/enquiry.ts';
import { erasureText, SentErasure } from '../../../api/records/erasure.ts';
import type { EnquiryAdministration, StoredEnquirySettings } from '../domain/enquiry-administration.ts';
import type { EnquiryReception } from '../domain/enquiry-reception.ts';
import type { Enquiry, EnquiryWithEntries } from '../domain/enquiry.ts';
import { Failure } from '../../../domain/failure.ts';
import { parseInt64 } from '../../../domain/int64.ts';
import { canonicalText } from '../../../domain/text.ts';
import { BYTE_ORDER_MARK, csvText } from '../../../transfer/csv.ts';
import { ENQUIRY_COLUMNS, enquiryCells } from './enquiry-table.ts';
import { FILE_FORMATS, type FileFormat } from '../../../transfer/rows.ts';
import { petIdOf, preconditionOf } from '../../../http/pets/pet-resource.ts';
import { actorOf } from '../../../http/pipeline/identify-actor.ts';
import { NDJSON_TYPE, readerLanguageOf } from '../../../http/pipeline/negotiation.ts';
import { readPageOrFirst, takePage } from '../../../http/pipeline/paging.ts';
import { sendApiResponse, sendJson, sendRecords } from '../../../http/pipeline/response.ts';
import type { FeatureHttp, FeatureRoutes } from '../../../http/features/feature-routes.ts';
import type { AddRoute, Handler } from '../../../http/pipeline/routes.ts';

interface EnquiryRoutesDeps {
  enquiryReception: EnquiryReception;
  enquiryAdministration: EnquiryAdministration;
}

const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** The form of a pet for everyone, and enquiries for staff. */
export class EnquiryRoutes implements FeatureRoutes {
  readonly state;
  readonly #deps: EnquiryRoutesDeps;
  readonly #administration: EnquiryAdministration;

  constructor(deps: EnquiryRoutesDeps) {
    this.#deps = deps;
    this.#administration = deps.enquiryAdministration;
    this.state = { name: 'enquiries', isOn: () => deps.enquiryReception.isOpen() };
  }

  addTo(add: AddRoute, { baseOf }: Pick<FeatureHttp, 'baseOf'>): void {
    add('getEnquiryForm', this.#getEnquiryForm);
    add('sendEnquiry', this.#sendEnquiry, SentEnquiry);
    add('getEnquirySettings', this.#getEnquirySettings);
    add('updateEnquirySettings', this.#updateEnquirySettings, SentEnquirySettings);
    add('listEnquiries', this.#listEnquiries(baseOf));
    add('getEnquiryOverview', this.#getEnquiryOverview);
    add('exportEnquiries', this.#exportEnquiries);
    add('getEnquiry', this.#getEnquiry);
    add('updateEnquiry', this.#updateEnquiry, SentEnquiryUpdate);
    add('addEnquiryNote', this.#addEnquiryNote, SentEnquiryEntry);
    add('answerEnquiry', this.#answerEnquiry, SentEnquiryEntry);
    add('deleteEnquiry', this.#deleteEnquiry);
    add('eraseEnquiries', this.#eraseEnquiries, SentErasure);
  }

  readonly #getEnquiryForm: Handler = async (request, reply) =>
    sendJson(reply, enquiryFormText(await this.#deps.enquiryReception.getForm(actorOf(request), petIdOf(request))));

  readonly #sendEnquiry: Handler<SentEnquiry> = async (request, reply) => {
    const sent = readEnquiry(request.body, readerLanguageOf(request.headers));
    await this.#deps.enquiryReception.send(actorOf(request), petIdOf(request), sent);
    return sendApiResponse(reply, 'The shelter has your enquiry.');
  };

  readonly #getEnquirySettings: Handler = async (request, reply) =>
    sendSettings(reply, await this.#administration.getSettings(actorOf(request)));

  readonly #updateEnquirySettings: Handler<SentEnquirySettings> = async (request, reply) => {
    const settings = readEnquirySettings(request.body);
    const precondition = preconditionOf(request.headers);
    return sendSettings(reply, await this.#administration.putSettings(actorOf(request), settings, precondition));
  };

  #listEnquiries(baseOf: FeatureHttp['baseOf']): Handler {
    return async (request, reply) => {
      const { limit, lastId } = readPageOrFirst(request.query);
      const criteria = readEnquiryCriteria(request.query as Query);
      const enquiries = await takePage<Enquiry>(request, reply, {
        limit,
        idOf: ({ id }) => id,
        list: (max) => this.#administration.list(actorOf(request), criteria, { beforeId: lastId, limit: max }),
        origin: baseOf(request),
      });
      return sendJson(reply, `[${enquiries.map((enquiry) => enquiryText(enquiry)).join()}]`);
    };
  }

  readonly #getEnquiryOverview: Handler = async (request, reply) =>
    sendJson(reply, overviewText(await this.#administration.getOverview(actorOf(request))));

  readonly #exportEnquiries: Handler = async (request, reply) => {
    const query = request.query as Query;
    const format = choiceOf<FileFormat>(query, 'format', FILE_FORMATS) ?? 'ndjson';
    const chunks = await this.#administration.export(actorOf(request), readEnquiryCriteria(query), format);
    reply.headers({
      'content-type': format === 'csv' ? CSV_TYPE : NDJSON_TYPE,
      'content-disposition': `attachment; filename="enquiries.${format}"`,
    });
    return sendRecords(request, reply, format === 'csv' ? csvOf(chunks) : linesOf(chunks));
  };

  readonly #getEnquiry: Handler = async (request, reply) =>
    sendEnquiry(reply, await this.#administration.get(actorOf(request), enquiryIdOf(request)));

  readonly #updateEnquiry: Handler<SentEnquiryUpdate> = async (request, reply) => {
    const id = enquiryIdOf(request);
    const update = readEnquiryUpdate(request.body);
    const precondition = preconditionOf(request.headers);
    return sendEnquiry(reply, await this.#administration.update(actorOf(request), id, update, precondition));
  };

  readonly #addEnquiryNote: Handler<SentEnquiryEntry> = async (request, reply) => {
    const text = canonicalText(request.body.text);
    return sendEnquiry(reply, await this.#administration.addNote(actorOf(request), enquiryIdOf(request), text));
  };

  readonly #answerEnquiry: Handler<SentEnquiryEntry> = async (request, reply) => {
    const text = canonicalText(request.body.text);
    return sendEnquiry(reply, await this.#administration.answer(actorOf(request), enquiryIdOf(request), text));
  };

  readonly #deleteEnquiry: Handler = async (request, reply) => {
    const id = enquiryIdOf(request);
    await this.#administration.delete(actorOf(request), id, preconditionOf(request.headers));
    return sendApiResponse(reply, id.toString());
  };

  readonly #eraseEnquiries: Handler<SentErasure> = async (request, reply) => {
    const erased = await this.#administration.erase(actorOf(request), request.body.email.trim());
    return sendJson(reply, erasureText(erased));
  };
}

/** @throws Failure `invalid-input` */
function enquiryIdOf({ params }: FastifyRequest): bigint {
  const id = parseInt64((params as { enquiryId: string }).enquiryId);
  if (id === undefined) throw new Failure('invalid-input', 'Invalid ID supplied');
  return id;
}

function sendSettings(reply: FastifyReply, stored: StoredEnquirySettings): FastifyReply {
  return sendJson(reply.header('etag', `"${stored.version}"`), enquirySettingsText(stored));
}

function sendEnquiry(reply: FastifyReply, enquiry: EnquiryWithEntries): FastifyReply {
  return sendJson(reply.header('etag', `"${enquiry.version}"`), enquiryText(enquiry, enquiry.entries));
}

type Chunks = AsyncIterable<readonly EnquiryWithEntries[]>;

async function* linesOf(chunks: Chunks): AsyncGenerator<string> {
  for await (const chunk of chunks) yield chunk.map((each) => `${enquiryText(each, each.entries)}\n`).join('');
}

async function* csvOf(chunks: Chunks): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvText([ENQUIRY_COLUMNS]);
  for await (const chunk of chunks) yield csvText(chunk.map(enquiryCells));
}
