import { setTimeout as delay } from 'node:timers/promises';
import type { Permission } from '../../domain/access.ts';
import type { MailActivity } from '../../domain/activity.ts';
import type { MailBell } from '../../domain/mail/mail-bell.ts';
import { MailDispatcher } from '../../domain/mail/mail-dispatcher.ts';
import type { Mailer, MailSite } from '../../domain/mail/ports.ts';
import { mailOfFeatures } from '../features/features.ts';
import type { Clock } from '../../domain/ports.ts';
import type { DatabaseStores } from '../../storage/rows/stores/stores.ts';
import { tokens } from '../../services/crypto/secrets.ts';
import { logTrouble, type Logger } from '../log/log.ts';
import type { ProcessRecords } from '../system/process-records.ts';

/** Polling interval for messages that other processes have queued. */
const POLL_MS = 2000;

/** Allowance for the database, added to the timeout of an attempt. */
const CLAIM_MARGIN_MS = 60_000;

/** How long a stop waits for messages that are being sent: aborting one that the server already has sends it twice. */
const STOP_MS = 5000;

interface MailSendingDeps {
  stores: DatabaseStores;
  siteUrl: string;
  /** Timeout of an attempt. */
  timeoutMs: number;
  mailer: Mailer;
  bell: MailBell;
  activity: MailActivity;
  may: Permission;
  readSite: () => Promise<MailSite>;
  reaches: (email: string) => boolean;
  mayEveryoneRename: boolean;
  clock: Clock;
  log: Logger;
  records: Pick<ProcessRecords, 'beginJob'>;
}

/** Sends queued messages until the returned function is called. */
export function sendQueuedMail({
  stores,
  siteUrl,
  timeoutMs,
  clock,
  log,
  records,
  bell,
  may,
  ...deps
}: MailSendingDeps) {
  const stopping = new AbortController();
  const aborting = new AbortController();
  let wake = new AbortController();
  const onTrouble = logTrouble(log, 'sending e-mail failed; retrying');
  const dispatcher = new MailDispatcher({
    ...deps,
    mail: stores.mail,
    addresses: stores.addresses,
    tokens,
    clock,
    claimMs: timeoutMs + CLAIM_MARGIN_MS,
    siteUrl,
    featureMail: mailOfFeatures({ stores, may, tokens, clock, siteUrl }),
    onSent: () => wake.abort(),
    onTrouble,
    onOutage: (error) => log.warn({ error }, 'e-mail cannot be sent; retrying'),
    onRecovered: (failedForMs) =>
      log.info({ failedForSeconds: Math.round(failedForMs / 1000) }, 'e-mail is sent again; waiting messages follow'),
    onGivenUp: (kind) => log.error({ kind }, 'a message could not be sent'),
  });
  bell.listen(() => wake.abort());

  async function dispatch(): Promise<void> {
    const end = records.beginJob('mail');
    const isFailed = await dispatcher.dispatch(aborting.signal).then(
      () => false,
      (error: unknown) => {
        onTrouble(error);
        return true;
      },
    );
    end({ isFailed, delayMs: POLL_MS });
  }

  async function keepDispatching(): Promise<void> {
    while (!stopping.signal.aborted) {
      wake = new AbortController();
      if (bell.isOn) await dispatch();
      const signal = AbortSignal.any([stopping.signal, wake.signal]);
      await delay(POLL_MS, undefined, { signal, ref: false }).catch(() => {});
    }
    await dispatcher.finish();
  }

  const dispatching = keepDispatching();
  return async (): Promise<void> => {
    stopping.abort();
    const timer = setTimeout(() => aborting.abort(), STOP_MS);
    await dispatching;
    clearTimeout(timer);
  };
}
