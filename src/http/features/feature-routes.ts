import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { PagePath } from '../../api/pages.ts';
import type { Access, Anonymous, Permission } from '../../domain/access.ts';
import type { UploadStaging } from '../../domain/photos/ports.ts';
import type { PhotoSource } from '../../transfer/photo-source.ts';
import type { SearchResponses } from '../pets/search-responses.ts';
import type { HttpActivity } from '../pipeline/http-activity.ts';
import type { NetworkTurns } from '../pipeline/network-turns.ts';
import type { AddRoute } from '../pipeline/routes.ts';
import type { HttpSettings } from '../pipeline/settings.ts';
import type { ServiceState } from '../service/service-routes.ts';

/** The parts of the application that routes of features use. */
export interface FeatureHttp {
  /** For routes that are no operations. */
  app: FastifyInstance;
  settings: HttpSettings;
  access: Access;
  may: Permission;
  searchResponses: SearchResponses;
  recordTurns: NetworkTurns;
  staging: UploadStaging;
  photoAddresses: Pick<PhotoSource, 'read'>;
  activity: HttpActivity;
  state: Pick<ServiceState, 'version'>;
  log: Logger;
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
  /** Whether an administrator has turned it on: then its name is in `Site.features`. */
  state?: { name: string; isOn(): Promise<boolean> };
  /** The other forms of a list of pets, or of a pet. @param page its title and URL, and the URL of the service */
  alternatesOf?(page: { base: string; url: string; title: string }): readonly PageLink[];
  /** An address for programs, in `/llms.txt` and the catalogue of APIs. Undefined if the feature is off. */
  readonly entryForPrograms?: { path: string; name: string; description: string } | undefined;
  /** Its page that shows a page of the service in a frame. */
  pageWithFrame?: PagePath;
}
