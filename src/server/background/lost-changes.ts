import type { Logger } from 'pino';
import type { ChangeHub } from '../../domain/events/change-hub.ts';

interface LostChangesDeps {
  hub: Pick<ChangeHub, 'watch'>;
  lostChanges: LostChangesCount;
}

/** The number of changes that this process has seen, and that were lost. */
export interface LostChangesCount {
  count: number;
}

/** Logs which changes the database has lost, also for the system page. @returns a function that ends it */
export function watchForLostChanges({ hub, lostChanges }: LostChangesDeps, log: Logger): () => void {
  return hub.watch(({ kept, last }) => {
    lostChanges.count += Number(last - kept);
    log.error(
      { reason: `versions ${kept + 1n} to ${last}` },
      'the database has lost changes: a server without them has become the primary, or an earlier state was restored',
    );
  });
}
