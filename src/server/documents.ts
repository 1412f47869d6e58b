import { createOpenApi } from '../api/documents/openapi.ts';
import { createSwagger } from '../api/documents/swagger.ts';
import { VERSION } from './version.ts';

/** The address that a service has as long as nobody says otherwise: what is generated from the committed copies speaks to it. */
const DEFAULT_ORIGIN = 'http://127.0.0.1:8080';

/** The documents as they are committed in docs/, by file name. */
export function committedDocuments(): Readonly<Record<string, string>> {
  const settings = { origin: DEFAULT_ORIGIN, version: VERSION };
  return {
    'openapi.json': `${JSON.stringify(createOpenApi(settings), null, 2)}\n`,
    'swagger.json': `${JSON.stringify(createSwagger(settings), null, 2)}\n`,
  };
}
