import type { Logger } from 'pino';
import { createRefusalNotes } from '../domain/audit-trail.ts';
import { createPetCatalogue } from '../domain/pets/pet-catalogue.ts';
import { createPhotoGallery } from '../domain/pets/photo-gallery.ts';
import type { Clock } from '../domain/ports.ts';
import { createImaging } from '../imaging/imaging.ts';
import { createAccounts } from './accounts.ts';
import { backgroundConcurrency, lowerBackgroundPriority } from './background-threads.ts';
import type { Config } from './config.ts';
import type { Stores } from './stores.ts';

const MAX_WAITING_PICTURES = 64;

export type Composition = ReturnType<typeof compose>;

/** Everything that the service can do, put together on top of the stores. Processes that serve beside each other share the cores. */
export function compose(stores: Stores, config: Config, log: Logger, clock: Clock) {
  lowerBackgroundPriority();
  const concurrency = Math.ceil(backgroundConcurrency(config.threadPoolSize) / config.workers);
  const noteRefusal = createRefusalNotes(stores, clock);
  const accounts = createAccounts(
    stores,
    {
      ...config,
      mode: config.http.access,
      hashingConcurrency: Math.ceil(concurrency / 2),
      onRefused: (actor, action) => {
        noteRefusal(actor, action).catch((error: unknown) => log.error({ err: error }, 'a refusal was not noted'));
      },
    },
    clock,
  );
  const imaging = createImaging({ maxPixels: config.maxPhotoPixels, concurrency, maxWaiting: MAX_WAITING_PICTURES });
  const catalogue = createPetCatalogue({ access: accounts.access, imaging, clock, ...stores });
  const gallery = createPhotoGallery({ imaging, clock, graceMs: config.photoGraceMs, ...stores });
  return { accounts, imaging, catalogue, gallery };
}
