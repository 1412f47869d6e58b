import { createClient } from '../../client/client.ts';
import { bootstrap } from './bootstrap.ts';
import { withLoginAgain } from './session-end.ts';

/** Where the interface begins. */
export const BASE = '/v2';

/** What came with the page, by address. It is what the page asks for at once; who comes for it later wants it as it is then. */
const firstAnswers = new Map(Object.entries(bootstrap.answers));
const FIRST_MS = 15_000;
const firstUntilMs = performance.now() + FIRST_MS;

/** Calls the service that the page came from, as whoever is logged in by now: that it is nobody is an answer like any other. */
export const plainClient = createClient({ base: BASE });

/** The same for all that is done on the pages: whose session has ended is asked to log in again, and then it goes on. */
export const client = withLoginAgain(plainClient, () => firstAnswers.clear());

/** The same for what is read first: answers that came with the page are not asked for again. */
export const reader = withLoginAgain(
  createClient({
    base: BASE,
    fetch: (address, init) => {
      const answer = findFirst(address);
      if (answer === undefined) return fetch(address, init);
      // Once: later it may not be so any more.
      firstAnswers.delete(address as string);
      const headers = { 'content-type': 'application/json', ...(answer.etag !== undefined && { etag: answer.etag }) };
      return Promise.resolve(new Response(answer.text, { headers }));
    },
  }),
);

function findFirst(address: unknown) {
  return typeof address === 'string' && performance.now() < firstUntilMs ? firstAnswers.get(address) : undefined;
}
