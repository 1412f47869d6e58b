import type { Anonymous } from '../../domain/access.ts';
import type { AddRoute } from './routes.ts';

/** The routes of a feature. */
export interface FeatureRoutes {
  addTo(add: AddRoute): void;
  /** A form on pages of visitors, and whether limits close it for a client for now. */
  form?: { name: string; isClosedFor(client: Anonymous): Promise<boolean> };
}
