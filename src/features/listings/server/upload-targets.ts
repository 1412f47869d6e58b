import type { SettingRule } from '../../../server/configuration/settings.ts';
import type { FeatureSettings } from '../../../server/features/feature.ts';
import { SITE_IDS, type SiteId } from '../domain/listing-site.ts';
import { readUploadUrl, type UploadTarget } from '../uploads/upload-url.ts';

const UPLOAD_URL: SettingRule = {
  problemOf(text) {
    const target = readUploadUrl(text);
    return typeof target === 'string' ? target : undefined;
  },
  requires: ['public-url', ', with which the addresses of photos begin'],
};

export const UPLOAD_RULES: Readonly<Record<string, SettingRule>> = Object.fromEntries(
  SITE_IDS.map((site) => [`${site}-upload-url`, UPLOAD_URL]),
);

/** The servers that files are uploaded to, by the site. Secret. */
export type UploadTargets = ReadonlyMap<SiteId, UploadTarget>;

export function uploadTargetsIn(settings: FeatureSettings): UploadTargets {
  const targets = new Map<SiteId, UploadTarget>();
  for (const site of SITE_IDS) {
    const target = readUploadUrl(settings[`${site}-upload-url`]);
    if (typeof target !== 'string') targets.set(site, target);
  }
  return targets;
}
