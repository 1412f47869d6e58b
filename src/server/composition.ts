import { setTimeout as delay } from 'node:timers/promises';
import { createRefusalNotes } from '../domain/audit-trail.ts';
import { createAccountChanges } from '../domain/events/account-changes.ts';
import { createChangeHub } from '../domain/events/change-hub.ts';
import { createWebhookAdministration } from '../domain/events/webhook-administration.ts';
import { createChangeStream } from '../domain/events/change-stream.ts';
import { createPetFinding } from '../domain/search/pet-finding.ts';
import { createPetCatalogue } from '../domain/pets/pet-catalogue.ts';
import { createPetPhotos } from '../domain/photos/pet-photos.ts';
import { createPetHistory } from '../domain/pets/pet-history.ts';
import { createPhotoGallery } from '../domain/photos/photo-gallery.ts';
import { keySecrets } from '../services/crypto/key-secrets.ts';
import { tokens } from '../services/crypto/tokens.ts';
import { createIdempotency } from '../domain/idempotency/idempotency.ts';
import type { Clock } from '../domain/ports.ts';
import type { Imaging } from '../domain/pets/ports.ts';
import type { ImagingSettings } from '../services/imaging/imaging.ts';
import { Sender } from '../services/webhooks/sender.ts';
import { createAccounts } from './accounts.ts';
import { backgroundConcurrency } from './background/background-threads.ts';
import type { Config } from './config.ts';
import { logTrouble, type Logger } from './log.ts';
import type { Stores } from './stores.ts';

const MAX_WAITING_PHOTOS = 64;

export type Composition = ReturnType<typeof compose>;

/** Creates the use cases of the service. Workers share the cores. */
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
  const maxPixels = config.http.maxPhotoPixels;
  const imaging = imagingWhenNeeded({ maxPixels, concurrency, maxWaiting: MAX_WAITING_PHOTOS });
  const catalogue = createPetCatalogue({ access: accounts.access, imaging, clock, ...stores });
  const petPhotos = createPetPhotos({ access: accounts.access, imaging, clock, ...stores });
  const history = createPetHistory({ access: accounts.access, clock, ...stores });
  const finding = createPetFinding({ clock, ...stores });
  const gallery = createPhotoGallery({ imaging, clock, graceMs: config.photoGraceMs, ...stores });
  const hub = createChangeHub({
    feed: stores.changeFeed,
    pause: (ms) => delay(ms, undefined, { ref: false }),
    onTrouble: logTrouble(log, 'looking for changes failed; retrying'),
  });
  const changes = createChangeStream({ access: accounts.access, quietAccess: accounts.quietAccess, hub });
  const accountChanges = createAccountChanges({ clock, retentionMs: config.auditRetentionMs, ...stores });
  const idempotency = createIdempotency({
    accountWrites: accounts.accountWrites,
    secrets: keySecrets,
    tokens,
    clock,
    ...stores,
  });
  const sender = new Sender(config.webhooks);
  const webhookAdministration = createWebhookAdministration({
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
    finding,
    history,
    gallery,
    changes,
    accountChanges,
    idempotency,
    sender,
    webhookAdministration,
  };
}

/** Loads the library on first use: a server in a test suite must start fast, and may never receive a photo. */
function imagingWhenNeeded(settings: ImagingSettings): Imaging {
  let loading: Promise<Imaging> | undefined;
  const load = () => (loading ??= loadImaging().then((SharpImaging) => new SharpImaging(settings)));
  return {
    accepts: async (size) => (await load()).accepts(size),
    prepare: async (source) => (await load()).prepare(source),
    resize: async (bytes, pixels, format) => (await load()).resize(bytes, pixels, format),
    placeholder: async (bytes) => (await load()).placeholder(bytes),
  };
}

/** Blocks the event loop for a few hundredths of a second, so a service does it before the first request. */
export async function loadImaging() {
  const { SharpImaging } = await import('../services/imaging/imaging.ts');
  return SharpImaging;
}
