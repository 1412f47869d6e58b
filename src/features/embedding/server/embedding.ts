import type { ServerFeature } from '../../../server/features/feature.ts';
import { EmbeddingSettings } from '../domain/embedding-settings.ts';
import { EmbeddingRoutes } from '../http/embedding-routes.ts';

export interface UseCases {
  embeddingSettings: EmbeddingSettings;
}

/** Pages with pets in frames of other websites. */
export const EMBEDDING: ServerFeature<UseCases> = {
  compose: (core) => ({ embeddingSettings: new EmbeddingSettings(core) }),
  routesOf: (useCases) => new EmbeddingRoutes(useCases),
};
