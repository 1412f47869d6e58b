import { inBatches } from '../batches.ts';
import type { Clock } from '../ports.ts';
import type { ChangeFeedStore } from './ports.ts';

export interface AccountChangesNeeds {
  changeFeed: ChangeFeedStore;
  clock: Clock;
  /** As long as the audit trail tells who did what. */
  retentionMs: number;
}

export type AccountChanges = ReturnType<typeof createAccountChanges>;

/** What became of accounts has their names in it: it is not told for ever. Who comes back to follow changes after that goes on with what there is. */
export function createAccountChanges({ changeFeed, clock, retentionMs }: AccountChangesNeeds) {
  return {
    /** Clears away what is older than the retention time. @param isStopping asked between the steps */
    forgetOld(isStopping: () => boolean = () => false): Promise<void> {
      const beforeMs = clock() - retentionMs;
      return inBatches((limit) => changeFeed.apply({ kind: 'forget', beforeMs, limit }), isStopping);
    },
  };
}
