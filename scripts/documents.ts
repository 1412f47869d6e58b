import { createOpenApi } from '../src/api/documents/openapi.ts';
import { createSwagger } from '../src/api/documents/swagger.ts';
import { settingsPage } from '../src/server/configuration/settings-help.ts';
import { VERSION } from '../src/server/system/version.ts';

/** The default address of the service. Clients generated from the committed documents use it. */
const DEFAULT_ORIGIN = 'http://127.0.0.1:8080';

/** The generated files of docs/, by name. */
export function committedDocuments(): Readonly<Record<string, string>> {
  const settings = { origin: DEFAULT_ORIGIN, version: VERSION };
  return {
    'openapi.json': `${JSON.stringify(createOpenApi(settings), null, 2)}\n`,
    'swagger.json': `${JSON.stringify(createSwagger(settings), null, 2)}\n`,
    'settings.md': settingsPage(),
  };
}
