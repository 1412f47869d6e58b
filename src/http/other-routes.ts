import type { FastifyInstance } from 'fastify';
import { addApiCatalog } from './discovery/api-catalog.ts';
import { addFeeds } from './discovery/feeds.ts';
import { addLlms } from './discovery/llms.ts';
import { addRobots, addSecurityContact } from './discovery/robots.ts';
import { Sitemap } from './discovery/sitemap.ts';
import { addDocsPage } from './documents/docs-page.ts';
import { addDocumentRoutes } from './documents/document-routes.ts';
import { addServerMetadata } from './oauth/server-metadata.ts';
import type { FeatureRoutes } from './features/feature-routes.ts';
import type { Door, Mount } from './pipeline/mount.ts';
import type { AddRoute } from './pipeline/routes.ts';
import type { HttpSettings } from './pipeline/settings.ts';
import { addMetricsPage, addServiceRoutes, type ReadMetrics, type ServiceState } from './service/service-routes.ts';
import { addWebApplication } from './web/page-routes.ts';

/* Routes that are no operations: documents, monitoring, crawlers, and the web application. */

type PageDeps = Parameters<typeof addWebApplication>[2] &
  Omit<ConstructorParameters<typeof Sitemap>[0], 'version'> &
  Parameters<typeof addFeeds>[1];

export type OtherDeps = PageDeps & {
  settings: HttpSettings;
  state: ServiceState;
  metrics: ReadMetrics;
  features: readonly FeatureRoutes[];
  mount?: Mount;
  door?: Door;
};

export function addOtherRoutes(add: AddRoute, app: FastifyInstance, deps: OtherDeps): void {
  const { settings, baseOf, state, web } = deps;
  addServerMetadata(app, baseOf);
  addDocumentRoutes(add, { baseOf, version: state.version });
  addDocsPage(app, { web, access: settings.access, hasPlaygrounds: deps.door !== undefined });
  addServiceRoutes(app, state);
  addLlms(app, settings, deps);
  addApiCatalog(app, deps.features, baseOf);
  if (web !== undefined) addFeeds(app, deps);
  if (deps.mount === undefined) addRootRoutes(app, deps);
  addWebApplication(app, settings, deps);
}

/** The routes of the service that crawlers and monitoring use. */
function addRootRoutes(app: FastifyInstance, deps: OtherDeps): void {
  addMetricsPage(app, deps.metrics);
  addSecurityContact(app, deps.settings);
  if (deps.web === undefined) return;
  addRobots(app, deps.settings, deps.baseOf);
  new Sitemap({ ...deps, version: deps.state.version }).addTo(app);
}
