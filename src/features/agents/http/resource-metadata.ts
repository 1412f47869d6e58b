import type { FastifyInstance, FastifyRequest } from 'fastify';
import { OAUTH_SCOPES, type OAuthScope } from '../../../domain/oauth/client.ts';
import { sendJson } from '../../../http/pipeline/response.ts';

/** Where agents send their messages. */
export const MCP_PATH = '/mcp';

const RESOURCE_PATH = `/.well-known/oauth-protected-resource${MCP_PATH}`;

/** Describes to agents who gives them access (RFC 9728). */
export function addResourceMetadata(app: FastifyInstance, baseOf: (request: FastifyRequest) => string): void {
  app.get(RESOURCE_PATH, { config: { isForAllOrigins: true } }, (request, reply) => {
    const issuer = baseOf(request);
    const metadata = {
      resource: issuer + MCP_PATH,
      authorization_servers: [issuer],
      scopes_supported: OAUTH_SCOPES,
      bearer_methods_supported: ['header'],
      resource_name: 'Menagerie',
      resource_documentation: `${issuer}/docs`,
    };
    return sendJson(reply.header('cache-control', 'no-cache'), JSON.stringify(metadata));
  });
}

/** The value of WWW-Authenticate (RFC 9728, section 5.1, and RFC 6750, section 3), by which agents find all of it. */
export function resourceChallenge(
  issuer: string,
  { error, scope }: { error: 'invalid_token' | 'insufficient_scope' | undefined; scope: OAuthScope },
): string {
  const parameters = {
    realm: 'menagerie',
    resource_metadata: issuer + RESOURCE_PATH,
    ...(error !== undefined && { error }),
    // The scopes of a new token: one does not include the other.
    scope: OAUTH_SCOPES.slice(0, OAUTH_SCOPES.indexOf(scope) + 1).join(' '),
  };
  return `Bearer ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`;
}
