import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createRefusalNotes } from '../domain/audit-trail.ts';
import { ChangeHub } from '../domain/events/change-hub.ts';
import { ChangeStream } from '../domain/events/change-stream.ts';
import { WebhookAdministration } from '../domain/events/webhook-administration.ts';
import { isUnavailable } from '../domain/failure.ts';
import { PetSearch } from '../domain/search/pet-search.ts';
import { PetCatalogue } from '../domain/pets/pet-catalogue.ts';
import { PetPhotos } from '../domain/photos/pet-photos.ts';
import { PetHistory } from '../domain/pets/pet-history.ts';
import { PhotoGallery } from '../domain/photos/photo-gallery.ts';
import { keySecrets } from '../services/crypto/key-secrets.ts';
import { tokens } from '../services/crypto/tokens.ts';
import { createIdempotency } from '../domain/idempotency/idempotency.ts';
import type { Clock } from '../domain/ports.ts';
import type { Imaging } from '../domain/pets/ports.ts';
import type { ImagingSettings } from '../services/imaging/imaging.ts';
import { createSender } from '../services/webhooks/sender.ts';
import { createAccounts } from './accounts.ts';
import { backgroundConcurrency } from './background/background-threads.ts';
import type { Config } from './config.ts';
import type { Stores } from './stores.ts';

const MAX_WAITING_PICTURES = 64;

export type Composition = ReturnType<typeof compose>;

/** Everything that the service can do, put together on top of the stores. Processes that serve beside each other share the cores. */
export function compose(stores: Stores, config: Config, log: Logger, clock: Clock) {
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
  const imaging = imagingWhenNeeded({
    maxPixels: config.http.maxPhotoPixels,
    concurrency,
    maxWaiting: MAX_WAITING_PICTURES,
  });
  const catalogue = new PetCatalogue({ access: accounts.access, imaging, clock, ...stores });
  const petPhotos = new PetPhotos({ access: accounts.access, imaging, clock, ...stores });
  const history = new PetHistory({ access: accounts.access, clock, ...stores });
  const petSearch = new PetSearch({ clock, ...stores });
  const gallery = new PhotoGallery({ imaging, clock, graceMs: config.photoGraceMs, ...stores });
  const hub = new ChangeHub({
    feed: stores.changeFeed,
    pause: (ms) => delay(ms, undefined, { ref: false }),
    onTrouble: (error) => {
      // An unavailable database is logged once, by its connections.
      if (!isUnavailable(error)) log.error({ err: error }, 'looking for changes failed; it goes on');
    },
  });
  const changes = new ChangeStream({ access: accounts.access, quietAccess: accounts.quietAccess, hub });
  const idempotency = createIdempotency({
    writeLimits: accounts.writeLimits,
    secrets: keySecrets,
    tokens,
    clock,
    ...stores,
  });
  const sender = createSender(config.webhooks);
  const webhookAdministration = new WebhookAdministration({
    access: accounts.access,
    sender,
    tokens,
    clock,
    ...stores,
  });
  return {
    accounts,
    imaging,
    catalogue,
    petPhotos,
    petSearch,
    history,
    gallery,
    changes,
    hub,
    idempotency,
    sender,
    webhookAdministration,
  };
}

/** Loaded only where it is wanted: a server in somebody's test suite, which is to be there at once, may never see a picture. */
function imagingWhenNeeded(settings: ImagingSettings): Imaging {
  let loading: Promise<Imaging> | undefined;
  const load = () => (loading ??= loadImaging().then((createImaging) => createImaging(settings)));
  return {
    accepts: async (size) => (await load()).accepts(size),
    prepare: async (source) => (await load()).prepare(source),
    resize: async (bytes, pixels, format) => (await load()).resize(bytes, pixels, format),
    placeholder: async (bytes) => (await load()).placeholder(bytes),
  };
}

/** It takes a few hundredths of a second of the event loop: where many are served, before there are any. */
export async function loadImaging() {
  const { createImaging } = await import('../services/imaging/imaging.ts');
  return createImaging;
}
