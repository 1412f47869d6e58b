import { AUTHORIZATION_PARAMETERS } from '../../domain/oauth/protocol.ts';
import { DOCS_CLIENT_ID, OAUTH_CLIENT_LIMITS, OAUTH_SCOPES, type OAuthScope } from '../../domain/oauth/client.ts';
import { redirectTargetOf } from '../../domain/oauth/redirect-uri.ts';

/* What the pages for OAuth 2.0 know of requests and programs, without the schemas. */

export {
  AUTHORIZATION_PARAMETERS,
  DOCS_CLIENT_ID,
  OAUTH_CLIENT_LIMITS,
  OAUTH_SCOPES,
  redirectTargetOf,
  type OAuthScope,
};
