import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { UploadActivity } from '../../../domain/activity.ts';
import type { ListingFeeds } from '../domain/listing-feeds.ts';
import { ListingUploads } from '../domain/listing-uploads.ts';
import type { SiteId } from '../domain/listing-site.ts';
import type { Clock } from '../../../domain/ports.ts';
import type { DatabaseStores } from '../../../storage/rows/stores/stores.ts';
import { uploadFiles } from '../uploads/uploader.ts';
import { listingTexts } from '../transfer/listing-texts.ts';
import type { UploadSettings } from '../../../server/configuration/config.ts';
import { logTrouble, type Logger } from '../../../server/log/log.ts';
import { claimRenewal } from '../../../server/background/claim-renewal.ts';
import type { ProcessRecords } from '../../../server/system/process-records.ts';

/** Polling interval for changes. */
const POLL_MS = 5000;

interface UploadingDeps {
  stores: DatabaseStores;
  settings: UploadSettings;
  listingFeeds: ListingFeeds;
  activity: UploadActivity;
  clock: Clock;
  log: Logger;
  records: Pick<ProcessRecords, 'beginJob'>;
  pollMs?: number;
}

/** Uploads the files of listing sites until the returned function is called. */
export function uploadListings({
  stores,
  settings,
  listingFeeds,
  activity,
  clock,
  log,
  records,
  pollMs = POLL_MS,
}: UploadingDeps) {
  const stopping = new AbortController();
  const { targets, publicUrl, timeoutMs } = settings;
  const onTrouble = logTrouble(log, 'looking for uploads to listing sites failed; retrying');
  const uploads = new ListingUploads({
    ...stores,
    readListed: (site) => listingFeeds.read(site, publicUrl),
    textsOf: listingTexts,
    newDigest() {
      const hash = createHash('sha256');
      return { update: (text) => void hash.update(text), read: () => hash.digest('base64url') };
    },
    sites: Object.keys(targets) as SiteId[],
    async send(site, files, signal) {
      const target = targets[site];
      if (target === undefined) return;
      const { fileName } = target;
      const named = files.map((file) => ({
        ...file,
        name: file.name.startsWith('pets.') ? (fileName ?? file.name) : file.name,
      }));
      await uploadFiles(target, named, { timeoutMs, signal });
    },
    ...claimRenewal(clock),
    activity,
    onOutage: (site, error) => log.warn({ site, error }, 'uploads to a listing site fail; retrying'),
    onReached: (site, failedForMs) =>
      log.info({ site, failedForSeconds: Math.round(failedForMs / 1000) }, 'uploads to a listing site work again'),
  });

  async function keepUploading(): Promise<void> {
    while (!stopping.signal.aborted) {
      const end = records.beginJob('listing-uploads');
      const isSuccess = await uploads.run(stopping.signal).catch((error: unknown) => {
        onTrouble(error);
        return false;
      });
      end({ isFailed: !isSuccess, delayMs: pollMs });
      await delay(pollMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  const uploading = keepUploading();
  return async (): Promise<void> => {
    stopping.abort();
    await uploading;
  };
}
