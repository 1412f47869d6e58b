import type { FastifyReply, FastifyRequest } from 'fastify';
import { SentOrganisation } from '../../api/records/organisation/organisation.ts';
import { readOwnFields, SentOwnFields } from '../../api/records/organisation/own-field.ts';
import type { SiteRecords, StoredOrganisation, StoredOwnFields } from '../../domain/organisation/site-records.ts';
import type { MarkdownToHtml } from '../../domain/ports.ts';
import { isUnchanged, preconditionOf } from '../pets/pet-resource.ts';
import { actorOf } from '../pipeline/identify-actor.ts';
import { sendJson } from '../pipeline/response.ts';
import type { AddRoute, Handler } from '../pipeline/routes.ts';
import type { ReceiveUpload } from '../pipeline/upload.ts';
import { organisationResponse, ownFieldsResponse } from './organisation-response.ts';

interface OrganisationRoutesDeps {
  siteRecords: SiteRecords;
  receive: ReceiveUpload;
  baseOf: (request: FastifyRequest) => string;
  markdownToHtml: MarkdownToHtml;
}

/** The organisation, its logo and its own profile fields. */
export class OrganisationRoutes {
  readonly #records: SiteRecords;
  readonly #receive: ReceiveUpload;
  readonly #baseOf: OrganisationRoutesDeps['baseOf'];
  readonly #markdownToHtml: MarkdownToHtml;

  constructor({ siteRecords, receive, baseOf, markdownToHtml }: OrganisationRoutesDeps) {
    this.#records = siteRecords;
    this.#receive = receive;
    this.#baseOf = baseOf;
    this.#markdownToHtml = markdownToHtml;
  }

  addTo(add: AddRoute): void {
    add('getOrganisation', this.#getOrganisation);
    add('updateOrganisation', this.#updateOrganisation, SentOrganisation);
    add('updateLogo', this.#updateLogo);
    add('deleteLogo', this.#deleteLogo);
    add('getOwnFields', this.#getOwnFields);
    add('updateOwnFields', this.#updateOwnFields, SentOwnFields);
  }

  readonly #getOrganisation: Handler = async (request, reply) => {
    const stored = await this.#records.getOrganisation();
    if (isUnchanged(request.headers, stored.version)) return sendUnchanged(reply, stored);
    return this.#sendOrganisation(request, reply, stored);
  };

  readonly #updateOrganisation: Handler<SentOrganisation> = async (request, reply) => {
    const precondition = preconditionOf(request.headers);
    const stored = await this.#records.putOrganisation(actorOf(request), request.body, precondition);
    return this.#sendOrganisation(request, reply, stored);
  };

  readonly #updateLogo: Handler = async (request, reply) => {
    const precondition = preconditionOf(request.headers);
    const { file } = await this.#receive(request);
    let stored: StoredOrganisation;
    try {
      stored = await this.#records.putLogo(actorOf(request), file, precondition);
    } finally {
      // Before the response, on success and on failure.
      await file.discard();
    }
    return this.#sendOrganisation(request, reply, stored);
  };

  readonly #deleteLogo: Handler = async (request, reply) => {
    const stored = await this.#records.deleteLogo(actorOf(request), preconditionOf(request.headers));
    return this.#sendOrganisation(request, reply, stored);
  };

  readonly #getOwnFields: Handler = async (request, reply) =>
    sendOwnFields(reply, await this.#records.getOwnFields(actorOf(request)));

  readonly #updateOwnFields: Handler<SentOwnFields> = async (request, reply) => {
    const fields = readOwnFields(request.body);
    return sendOwnFields(
      reply,
      await this.#records.putOwnFields(actorOf(request), fields, preconditionOf(request.headers)),
    );
  };

  async #sendOrganisation(
    request: FastifyRequest,
    reply: FastifyReply,
    stored: StoredOrganisation,
  ): Promise<FastifyReply> {
    const { text, etag } = await organisationResponse(stored, this.#baseOf(request), this.#markdownToHtml);
    return sendJson(reply.header('etag', etag), text);
  }
}

function sendUnchanged(reply: FastifyReply, { version }: { version: bigint }): FastifyReply {
  return reply.code(304).header('etag', `"${version}"`).send();
}

function sendOwnFields(reply: FastifyReply, stored: StoredOwnFields): FastifyReply {
  const { text, etag } = ownFieldsResponse(stored);
  return sendJson(reply.header('etag', etag), text);
}
