import { GROWTH } from './growth.ts';
import { LISTS } from './lists.ts';
import { LOGINS } from './logins.ts';
import type { Measurement } from './measurement.ts';
import { PAGES } from './pages.ts';
import { PICTURES } from './pictures.ts';
import { READS } from './reads.ts';
import { STARTUP } from './startup.ts';
import { WORKERS } from './workers.ts';
import { WRITES } from './writes.ts';

/** Every measurement, in the order in which they are taken. The peers come after them. */
export const MEASUREMENTS: readonly Measurement[] = [
  ...READS,
  ...WRITES,
  ...GROWTH,
  ...PAGES,
  ...LISTS,
  ...PICTURES,
  ...LOGINS,
  ...STARTUP,
  ...WORKERS,
];
