import type { QueryClient } from '@tanstack/react-query';
import { createClient } from '../../client/client.ts';
import { MenagerieError } from '../../client/failures.ts';
import { bootstrap } from './bootstrap.ts';
import { createRefresher } from './changed-pets.ts';
import { BASE } from './client.ts';
import { onLoginAgain } from './session-end.ts';

const INVALID = 400;
/** A page that is older reads its lists anew rather than all that has happened since. */
const FRESH_PAGE_MS = 60_000;

/**
 * Refreshes what was read of pets as others change them, while the page is visible: browsers allow six connections a host, and a hidden page needs none.
 * Whatever goes wrong, the page is as good as without. Ends by itself if the current user may not follow changes.
 *
 * @returns ends it
 */
export function followChanges(queries: QueryClient): () => void {
  const refresher = createRefresher(queries);
  let position = positionOfPage();
  let connection: AbortController | undefined;

  async function follow(signal: AbortSignal): Promise<void> {
    // What changed while nobody was listening: with a position it is told, else all is read again.
    const client = clientThatTells(() => {
      if (position === undefined) refresher.refreshAll();
    });
    const from = position === undefined ? {} : { lastEventId: position };
    for await (const event of client.events({ kinds: ['pet'] }, { signal, ...from })) {
      position = event.version;
      if ('pet' in event) refresher.take(event);
    }
  }

  async function begin({ signal }: AbortController): Promise<void> {
    try {
      await follow(signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof MenagerieError) || error.status !== INVALID) return;
      // The service does not know the position: it has another database by now.
      if (position === undefined) return;
      position = undefined;
      await follow(signal).catch(() => {});
    }
  }

  function turn(): void {
    const isVisible = document.visibilityState === 'visible';
    if (isVisible && connection === undefined) {
      connection = new AbortController();
      void begin(connection);
    } else if (!isVisible) {
      connection?.abort();
      connection = undefined;
    }
  }

  /** The stream of a session that is over has ended. */
  function beginAgain(): void {
    connection?.abort();
    connection = undefined;
    turn();
  }

  turn();
  const forget = onLoginAgain(beginAgain);
  document.addEventListener('visibilitychange', turn);
  return () => {
    document.removeEventListener('visibilitychange', turn);
    forget();
    connection?.abort();
    refresher.stop();
  };
}

/** What came with the page is known up to there: only what changed since is to be told. */
function positionOfPage(): bigint | undefined {
  if (bootstrap.position === undefined || performance.now() > FRESH_PAGE_MS) return undefined;
  return BigInt(bootstrap.position);
}

/** @param onConnected whenever a stream begins */
function clientThatTells(onConnected: () => void) {
  return createClient({
    base: BASE,
    async fetch(address, init) {
      const response = await fetch(address, init);
      if (response.ok) onConnected();
      return response;
    },
  });
}
