import { BACKUPS } from './backups.ts';
import { LISTS } from './lists.ts';
import { LOGINS } from './logins.ts';
import type { Measurement } from '../tools/measurement.ts';
import { PAGES } from './pages.ts';
import { PHOTOS } from './photos.ts';
import { PLAYGROUNDS } from './playgrounds.ts';
import { READS } from './reads.ts';
import { searchMeasurements, SQLITE_PLACE, UNKNOWN_WORDS } from './search.ts';
import { STARTUP } from './startup.ts';
import { WEBHOOKS } from './webhooks.ts';
import { WRITES } from './writes.ts';

/** All measurements, in order. */
export const MEASUREMENTS: readonly Measurement[] = [
  ...READS,
  ...WRITES,
  ...PAGES,
  ...LISTS,
  ...searchMeasurements('', SQLITE_PLACE),
  ...UNKNOWN_WORDS,
  ...PHOTOS,
  ...LOGINS,
  ...BACKUPS,
  ...STARTUP,
  ...PLAYGROUNDS,
  ...WEBHOOKS,
];
