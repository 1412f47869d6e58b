import type { FastifyReply } from 'fastify';
import type { SiteRecords } from '../../../domain/organisation/site-records.ts';
import type { PetCatalogue } from '../../../domain/pets/pet-catalogue.ts';
import type { PetPhotos } from '../../../domain/pets/pet-photos.ts';
import type { PetProfiles } from '../../../domain/pets/pet-profiles.ts';
import { isUnchanged, preconditionOf } from '../../../http/pets/pet-resource.ts';
import type { FeatureHttp, FeatureRoutes } from '../../../http/features/feature-routes.ts';
import { actorOf } from '../../../http/pipeline/identify-actor.ts';
import { sendJson } from '../../../http/pipeline/response.ts';
import type { AddRoute, Handler } from '../../../http/pipeline/routes.ts';
import { embeddingText, SentEmbedding } from '../api/embedding.ts';
import type { EmbeddingSettings, StoredEmbedding } from '../domain/embedding-settings.ts';
import { EmbedRoutes } from './embed-routes.ts';
import { EmbeddedPets } from './embedded-pets.ts';
import { OEmbed, oembedLinks } from './oembed.ts';

interface EmbeddingRoutesDeps {
  embeddingSettings: EmbeddingSettings;
  catalogue: PetCatalogue;
  profiles: PetProfiles;
  petPhotos: PetPhotos;
  siteRecords: SiteRecords;
}

/** The websites that may show the pets, and the pages that they show. */
export class EmbeddingRoutes implements FeatureRoutes {
  readonly #deps: EmbeddingRoutesDeps;

  constructor(deps: EmbeddingRoutesDeps) {
    this.#deps = deps;
  }

  readonly alternatesOf = oembedLinks;

  readonly pageWithFrame = '/admin/embedding';

  addTo(add: AddRoute, http: FeatureHttp): void {
    add('getEmbedding', this.#get);
    add('updateEmbedding', this.#update, SentEmbedding);
    if (!http.hasPages) return;
    const deps = { ...this.#deps, ...http };
    const embedDeps = { ...deps, embeddedPets: new EmbeddedPets(deps) };
    new EmbedRoutes(embedDeps).addTo(http.app);
    new OEmbed(embedDeps).addTo(http.app);
  }

  readonly #get: Handler = async (request, reply) => {
    const stored = await this.#deps.embeddingSettings.get();
    return isUnchanged(request.headers, stored.version)
      ? reply.code(304).header('etag', `"${stored.version}"`).send()
      : send(reply, stored);
  };

  readonly #update: Handler<SentEmbedding> = async (request, reply) => {
    const { sites, origins } = request.body;
    const precondition = preconditionOf(request.headers);
    return send(reply, await this.#deps.embeddingSettings.put(actorOf(request), sites, origins ?? [], precondition));
  };
}

function send(reply: FastifyReply, stored: StoredEmbedding): FastifyReply {
  return sendJson(reply.header('etag', `"${stored.version}"`), embeddingText(stored));
}
