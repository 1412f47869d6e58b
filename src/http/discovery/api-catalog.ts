import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FeatureRoutes } from '../features/feature-routes.ts';
import { sendText } from '../pipeline/response.ts';

const CATALOG_PATH = '/.well-known/api-catalog';

/** A set of links in JSON (RFC 9264) with the profile of RFC 9727, section 4.1. */
const TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The links of the API to its documents, for programs (RFC 9727). */
export function addApiCatalog(
  app: FastifyInstance,
  features: readonly Pick<FeatureRoutes, 'entryForPrograms'>[],
  baseOf: (request: FastifyRequest) => string,
): void {
  app.get(CATALOG_PATH, { config: { isForAllOrigins: true } }, (request, reply) => {
    const base = baseOf(request);
    // Also for HEAD (section 2).
    reply.header('cache-control', 'no-cache').header('link', catalogLink(base));
    return sendText(reply, JSON.stringify(catalogOf(base, features)), TYPE);
  });
}

/** The value of Link, by which programs find the catalog (RFC 9727, section 3). */
export function catalogLink(base: string): string {
  return `<${base}${CATALOG_PATH}>; rel="api-catalog"`;
}

function catalogOf(base: string, features: Parameters<typeof addApiCatalog>[1]) {
  const documentation = [{ href: `${base}/docs`, type: 'text/html' }];
  const api = {
    anchor: `${base}/v2`,
    'service-desc': [
      { href: `${base}/v2/openapi.json`, type: 'application/json' },
      { href: `${base}/v2/swagger.json`, type: 'application/json' },
    ],
    'service-doc': [...documentation, { href: `${base}/llms.txt`, type: 'text/plain' }],
    status: [{ href: `${base}/readyz` }],
  };
  const entries = features.flatMap(({ entryForPrograms }) => entryForPrograms ?? []);
  return { linkset: [api, ...entries.map(({ path }) => ({ anchor: base + path, 'service-doc': documentation }))] };
}
