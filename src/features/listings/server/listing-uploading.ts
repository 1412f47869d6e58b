import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ListingFeeds } from '../domain/listing-feeds.ts';
import { ListingUploads } from '../domain/listing-uploads.ts';
import type { UploadActivity } from '../domain/upload-activity.ts';
import { uploadFiles } from '../uploads/uploader.ts';
import { listingTexts } from '../transfer/listing-texts.ts';
import type { UploadTargets } from './upload-targets.ts';
import type { FeatureNode } from '../../../server/features/feature.ts';
import { logTrouble } from '../../../server/log/log.ts';
import { claimRenewal } from '../../../server/background/claim-renewal.ts';

/** Polling interval for changes. */
const POLL_MS = 5000;

/** Timeout of an answer of a server. */
const TIMEOUT_MS = 30_000;

interface UploadingDeps extends Pick<FeatureNode, 'stores' | 'clock' | 'log' | 'records'> {
  targets: UploadTargets;
  /** The beginning of the addresses of photos. */
  publicUrl: string;
  listingFeeds: ListingFeeds;
  activity: UploadActivity;
}

/** Uploads the files of listing sites until the returned function is called. */
export function uploadListings({
  stores,
  targets,
  publicUrl,
  listingFeeds,
  activity,
  clock,
  log,
  records,
}: UploadingDeps) {
  const stopping = new AbortController();
  const onTrouble = logTrouble(log, 'looking for uploads to listing sites failed; retrying');
  const uploads = new ListingUploads({
    ...stores,
    readListed: (site) => listingFeeds.read(site, publicUrl),
    textsOf: listingTexts,
    newDigest() {
      const hash = createHash('sha256');
      return { update: (text) => void hash.update(text), read: () => hash.digest('base64url') };
    },
    sites: [...targets.keys()],
    async send(site, files, signal) {
      const target = targets.get(site);
      if (target === undefined) return;
      const { fileName } = target;
      const named = files.map((file) => ({
        ...file,
        name: file.name.startsWith('pets.') ? (fileName ?? file.name) : file.name,
      }));
      await uploadFiles(target, named, { timeoutMs: TIMEOUT_MS, signal });
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
      end({ isFailed: !isSuccess, delayMs: POLL_MS });
      await delay(POLL_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  const uploading = keepUploading();
  return async (): Promise<void> => {
    stopping.abort();
    await uploading;
  };
}
