import type { FastifyInstance } from 'fastify';
import { AgentTools } from './agents/agent-tools.ts';
import { McpRoutes } from './agents/mcp-routes.ts';
import { addApiCatalog } from './discovery/api-catalog.ts';
import { addFeeds } from './discovery/feeds.ts';
import { addLlms } from './discovery/llms.ts';
import { addRobots, addSecurityContact } from './discovery/robots.ts';
import { Sitemap } from './discovery/sitemap.ts';
import { addDocsPage } from './documents/docs-page.ts';
import { addDocumentRoutes } from './documents/document-routes.ts';
import { addResourceMetadata, addServerMetadata } from './oauth/server-metadata.ts';
import type { Door, Mount } from './pipeline/mount.ts';
import type { AddRoute } from './pipeline/routes.ts';
import type { HttpSettings } from './pipeline/settings.ts';
import { addMetricsPage, addServiceRoutes, type ReadMetrics, type ServiceState } from './service/service-routes.ts';
import { addWebApplication } from './web/page-routes.ts';

/* Routes that are no operations: documents, agents, monitoring, crawlers, and the web application. */

type AgentDeps = Omit<ConstructorParameters<typeof AgentTools>[0], 'maxPhotoBytes'> &
  Omit<ConstructorParameters<typeof McpRoutes>[0], 'mode' | 'agentTools' | 'version'>;

type PageDeps = Parameters<typeof addWebApplication>[2] &
  Omit<ConstructorParameters<typeof Sitemap>[0], 'version'> &
  Parameters<typeof addFeeds>[1];

export type OtherDeps = AgentDeps &
  PageDeps & {
    settings: HttpSettings;
    state: ServiceState;
    metrics: ReadMetrics;
    mount?: Mount;
    door?: Door;
  };

export function addOtherRoutes(add: AddRoute, app: FastifyInstance, deps: OtherDeps): void {
  const { settings, baseOf, state, web } = deps;
  addServerMetadata(app, baseOf);
  if (settings.mcp !== 'off') addAgents(app, settings.mcp, deps);
  addDocumentRoutes(add, { baseOf, version: state.version });
  addDocsPage(app, { web, access: settings.access, hasPlaygrounds: deps.door !== undefined });
  addServiceRoutes(app, state);
  addLlms(app, settings, deps);
  addApiCatalog(app, settings, baseOf);
  if (web !== undefined) addFeeds(app, deps);
  if (deps.mount === undefined) addRootRoutes(app, deps);
  addWebApplication(app, settings, deps);
}

function addAgents(app: FastifyInstance, mode: 'read' | 'write', deps: OtherDeps): void {
  const { settings, state, baseOf } = deps;
  const agentTools = new AgentTools({ ...deps, maxPhotoBytes: settings.maxPhotoBytes });
  new McpRoutes({ ...deps, mode, agentTools, version: state.version }).addTo(app);
  addResourceMetadata(app, baseOf);
}

/** The routes of the service that crawlers and monitoring use. */
function addRootRoutes(app: FastifyInstance, deps: OtherDeps): void {
  addMetricsPage(app, deps.metrics);
  addSecurityContact(app, deps.settings);
  if (deps.web === undefined) return;
  addRobots(app, deps.settings, deps.baseOf);
  new Sitemap({ ...deps, version: deps.state.version }).addTo(app);
}
