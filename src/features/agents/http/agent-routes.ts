import type { SiteRecords } from '../../../domain/organisation/site-records.ts';
import type { PetCatalogue } from '../../../domain/pets/pet-catalogue.ts';
import type { PetHistory } from '../../../domain/pets/pet-history.ts';
import type { PetPhotos } from '../../../domain/pets/pet-photos.ts';
import type { PetProfiles } from '../../../domain/pets/pet-profiles.ts';
import type { FeatureHttp, FeatureRoutes } from '../../../http/features/feature-routes.ts';
import type { AddRoute } from '../../../http/pipeline/routes.ts';
import type { AgentProtocol } from '../domain/protocol.ts';
import { AgentTools } from './agent-tools.ts';
import { McpRoutes } from './mcp-routes.ts';
import { addResourceMetadata, MCP_PATH } from './resource-metadata.ts';

interface AgentRoutesDeps {
  catalogue: PetCatalogue;
  petPhotos: PetPhotos;
  history: PetHistory;
  profiles: PetProfiles;
  siteRecords: SiteRecords;
  agentProtocol: AgentProtocol;
}

const DESCRIPTIONS = {
  read: 'tools that search and read pets (Streamable HTTP, stateless)',
  write: 'tools that search, read and, with permission, change pets (Streamable HTTP, stateless)',
} as const;

export class AgentRoutes implements FeatureRoutes {
  readonly #deps: AgentRoutesDeps;
  readonly #mode: 'read' | 'write' | undefined;
  readonly entryForPrograms;

  /** @param mode which tools agents get: none, those that only read, or all that their permissions allow */
  constructor(deps: AgentRoutesDeps, mode: string | undefined) {
    this.#deps = deps;
    this.#mode = mode === 'read' || mode === 'write' ? mode : undefined;
    this.entryForPrograms = this.#mode && { path: MCP_PATH, name: 'MCP server', description: DESCRIPTIONS[this.#mode] };
  }

  addTo(_add: AddRoute, http: FeatureHttp): void {
    const mode = this.#mode;
    if (mode === undefined) return;
    const { app, settings, state } = http;
    const deps = { ...this.#deps, ...http };
    const agentTools = new AgentTools({ ...deps, maxPhotoBytes: settings.maxPhotoBytes });
    new McpRoutes({ ...deps, mode, agentTools, version: state.version }).addTo(app);
    addResourceMetadata(app, http.baseOf);
  }
}
