import type { QueryClient } from '@tanstack/react-query';
import { createClient } from '../../client/client.ts';
import { MenagerieError } from '../../client/failures.ts';
import { bootstrap } from './bootstrap.ts';
import { createRefresher } from './changed-pets.ts';
import { BASE } from './client.ts';
import { onReauthentication } from './reauthentication.ts';

const INVALID = 400;
/** An older page refetches its lists instead of reading all events since. */
const FRESH_PAGE_MS = 60_000;

/**
 * Keeps cached pets up to date with the changes of other users while the page is visible: browsers allow six
 * connections per host, and a hidden page needs none. Errors are ignored: the page works without live changes. Stops if
 * the current user may not follow changes.
 *
 * @returns stops it
 */
export function followChanges(queries: QueryClient): () => void {
  const refresher = createRefresher(queries);
  let position = positionOfPage();
  let connection: AbortController | undefined;

  async function follow(signal: AbortSignal): Promise<void> {
    // Changes during a disconnection: with a position the service sends them, otherwise everything is refetched.
    const client = createNotifyingClient(() => {
      if (position === undefined) refresher.refreshAll();
    });
    const from = position === undefined ? {} : { lastEventId: position };
    for await (const event of client.events({ kinds: ['pet'] }, { signal, ...from })) {
      position = event.version;
      if ('pet' in event) refresher.take(event);
      else refresher.refreshAll();
    }
  }

  async function start({ signal }: AbortController): Promise<void> {
    try {
      await follow(signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof MenagerieError) || error.status !== INVALID) return;
      // The service does not know the position: its database was replaced.
      if (position === undefined) return;
      position = undefined;
      await follow(signal).catch(() => {});
    }
  }

  function update(): void {
    const isVisible = document.visibilityState === 'visible';
    if (isVisible && connection === undefined) {
      connection = new AbortController();
      void start(connection);
    } else if (!isVisible) {
      connection?.abort();
      connection = undefined;
    }
  }

  /** The event stream of the old session has ended. */
  function restart(): void {
    connection?.abort();
    connection = undefined;
    update();
  }

  update();
  const forget = onReauthentication(restart);
  document.addEventListener('visibilitychange', update);
  return () => {
    document.removeEventListener('visibilitychange', update);
    forget();
    connection?.abort();
    refresher.stop();
  };
}

/** The data of the page is current up to this position. */
function positionOfPage(): bigint | undefined {
  if (bootstrap.position === undefined || performance.now() > FRESH_PAGE_MS) return undefined;
  return BigInt(bootstrap.position);
}

/** @param onConnected called whenever a stream starts */
function createNotifyingClient(onConnected: () => void) {
  return createClient({
    base: BASE,
    async fetch(address, init) {
      const response = await fetch(address, init);
      if (response.ok) onConnected();
      return response;
    },
  });
}
