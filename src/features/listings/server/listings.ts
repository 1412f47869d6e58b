import { setImmediate as nextIteration } from 'node:timers/promises';
import type { ServerFeature } from '../../../server/features/feature.ts';
import { counter, gauge } from '../../../server/metrics/families.ts';
import { markdownToText } from '../../../server/process/lazy-libraries.ts';
import { ListingAdministration } from '../domain/listing-administration.ts';
import { ListingFeeds } from '../domain/listing-feeds.ts';
import type { SiteId } from '../domain/listing-site.ts';
import { UploadActivity } from '../domain/upload-activity.ts';
import { ListingRoutes } from '../http/listing-routes.ts';
import { unreachedMessage } from '../mail/unreached-message.ts';
import { placeOf } from '../uploads/upload-url.ts';
import { uploadListings } from './listing-uploading.ts';
import { uploadTargetsIn, type UploadTargets } from './upload-targets.ts';

export interface UseCases {
  listingFeeds: ListingFeeds;
  listingAdministration: ListingAdministration;
  uploadTargets: UploadTargets;
  /** The server that the files of a site are uploaded to, without its credentials. */
  uploadPlaceOf: (site: SiteId) => string | undefined;
  uploadActivity: UploadActivity;
}

/** Feeds and uploads of the pets for sites on which adopters look for them. */
export const LISTINGS: ServerFeature<UseCases> = {
  compose(core, playground) {
    // Anyone may create a playground, so it uploads nothing.
    const uploadTargets: UploadTargets = playground ? new Map() : uploadTargetsIn(core.settings);
    const hasUpload = (site: SiteId) => uploadTargets.has(site);
    const listingFeeds = new ListingFeeds({ ...core, markdownToText, pause: nextIteration });
    return {
      listingFeeds,
      listingAdministration: new ListingAdministration({ ...core, listingFeeds, hasUpload }),
      uploadTargets,
      uploadPlaceOf(site) {
        const target = uploadTargets.get(site);
        return target && placeOf(target);
      },
      uploadActivity: new UploadActivity(),
    };
  },
  routesOf: (useCases) => new ListingRoutes(useCases),
  mailOf: ({ stores: { addresses }, siteUrl }) => ({
    'listing-unreached': (queued) => unreachedMessage(queued, addresses, siteUrl),
  }),
  startWork({ publicUrl, ...node }, { listingFeeds, uploadTargets: targets, uploadActivity: activity }) {
    if (targets.size === 0 || publicUrl === undefined) return undefined;
    return { stop: uploadListings({ ...node, targets, publicUrl, listingFeeds, activity }) };
  },
  async readMetrics({ listings }, { uploadTargets, uploadActivity }) {
    if (uploadTargets.size === 0) return [];
    const counts = [...uploadActivity.outcomes].flatMap(([site, outcomes]) =>
      Object.entries(outcomes).map(([outcome, count]) => [{ site, outcome }, count] as const),
    );
    const uploads = counter('menagerie_listing_uploads_total', 'Uploads to listing sites.', counts);
    // Every node reports the same ages. While the database is unavailable, they are unknown.
    const all = await Promise.all([...uploadTargets.keys()].map((site) => listings.find(site))).catch(() => undefined);
    if (all === undefined) return [uploads];
    const ages = all.map(({ site, upload: { failingSinceMs } }) => [{ site }, ageOf(failingSinceMs)] as const);
    const help = 'How long uploads to a site have failed; 0 if they work.';
    return [uploads, gauge('menagerie_listing_failing_seconds', help, ages)];
  },
};

function ageOf(sinceMs: number | undefined): number {
  return sinceMs === undefined ? 0 : Math.max(0, Date.now() - sinceMs) / 1000;
}
