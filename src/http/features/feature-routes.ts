import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PagePath } from '../../api/pages.ts';
import type { Anonymous } from '../../domain/access.ts';
import type { SearchResponses } from '../pets/search-responses.ts';
import type { AddRoute } from '../pipeline/routes.ts';

/** The parts of the application that routes of features use. */
export interface FeatureHttp {
  /** For routes that are no operations. */
  app: FastifyInstance;
  searchResponses: SearchResponses;
  /** The URL at which the client of a request reaches the service. */
  baseOf: (request: FastifyRequest) => string;
  /** The path of the service, for links. */
  basePath: () => string;
  /** Whether the web application is served. */
  hasPages: boolean;
}

/** A link in the head of a page. */
export interface PageLink {
  type: string;
  title: string;
  href: string;
}

/** The routes of a feature. */
export interface FeatureRoutes {
  addTo(add: AddRoute, http: FeatureHttp): void;
  /** A form on pages of visitors, and whether limits close it for a client for now. */
  form?: { name: string; isClosedFor(client: Anonymous): Promise<boolean> };
  /** The other forms of a list of pets, or of a pet. @param page its title and URL, and the URL of the service */
  alternatesOf?(page: { base: string; url: string; title: string }): readonly PageLink[];
  /** Its page that shows a page of the service in a frame. */
  pageWithFrame?: PagePath;
}
