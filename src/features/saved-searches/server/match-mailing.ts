import { setImmediate as nextIteration, setTimeout as delay } from 'node:timers/promises';
import { readSavedCriteria } from '../api/saved-search-queries.ts';
import type { MailBell } from '../../../domain/mail/mail-bell.ts';
import type { Clock } from '../../../domain/ports.ts';
import { MatchMailing } from '../domain/match-mailing.ts';
import type { Synonyms } from '../../../domain/search/synonyms.ts';
import type { DatabaseStores } from '../../../storage/rows/stores/stores.ts';
import { logTrouble, type Logger } from '../../../server/log/log.ts';
import { claimRenewal } from '../../../server/background/claim-renewal.ts';
import type { ProcessRecords } from '../../../server/system/process-records.ts';

/** Polling interval for changes of pets. */
const POLL_MS = 5000;

interface MatchMailingDeps {
  stores: DatabaseStores;
  synonyms: Synonyms;
  bell: MailBell;
  clock: Clock;
  log: Logger;
  records: Pick<ProcessRecords, 'beginJob'>;
  pollMs?: number;
}

/** Queues messages about new matches of saved searches until the returned function is called. */
export function mailNewMatches({ stores, clock, log, records, pollMs = POLL_MS, ...deps }: MatchMailingDeps) {
  const stopping = new AbortController();
  const onTrouble = logTrouble(log, 'looking for new matches of saved searches failed; retrying');
  const mailing = new MatchMailing({
    ...stores,
    ...deps,
    source: stores.indexSource,
    criteriaOf: readSavedCriteria,
    ...claimRenewal(clock),
    pause: () => nextIteration(),
  });

  async function look(): Promise<void> {
    const end = records.beginJob('saved-searches');
    const isFailed = await mailing.run(stopping.signal).then(
      () => false,
      (error: unknown) => {
        onTrouble(error);
        return true;
      },
    );
    end({ isFailed, delayMs: pollMs });
  }

  async function keepLooking(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (deps.bell.isOn) await look();
      await delay(pollMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  const looking = keepLooking();
  return async (): Promise<void> => {
    stopping.abort();
    await looking;
  };
}
