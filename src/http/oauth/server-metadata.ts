import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ENDPOINTS } from '../../api/endpoints.ts';
import type { PagePath } from '../../api/pages.ts';
import { OAUTH_SCOPES } from '../../domain/oauth/client.ts';
import { GRANT_TYPES } from '../../domain/oauth/protocol.ts';
import { sendJson } from '../pipeline/response.ts';

const METADATA_PATH = '/.well-known/oauth-authorization-server';

const AUTHORIZE_PAGE: PagePath = '/oauth/authorize';

/** Describes the authorization server to programs (RFC 8414). */
export function addServerMetadata(app: FastifyInstance, baseOf: (request: FastifyRequest) => string): void {
  app.get(METADATA_PATH, { config: { isForAllOrigins: true } }, (request, reply) =>
    sendJson(reply.header('cache-control', 'no-cache'), JSON.stringify(metadataOf(baseOf(request)))),
  );
}

function metadataOf(issuer: string) {
  const methods = ['client_secret_basic', 'client_secret_post', 'none'];
  return {
    issuer,
    authorization_endpoint: `${issuer}${AUTHORIZE_PAGE}`,
    token_endpoint: `${issuer}${ENDPOINTS.requestToken.path}`,
    revocation_endpoint: `${issuer}${ENDPOINTS.revokeToken.path}`,
    scopes_supported: OAUTH_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: GRANT_TYPES,
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${issuer}/docs`,
  };
}
