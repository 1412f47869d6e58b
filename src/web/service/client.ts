import { createClient } from '../../contract/client/client.ts';
import { bootstrap } from './bootstrap.ts';
import { withLoginAgain } from './session-end.ts';

/** Where the interface begins. */
export const BASE = '/v2';

/** Calls the service that the page came from, as whoever is logged in by now: that it is nobody is an answer like any other. */
export const plainClient = createClient({ base: BASE });

/** The same for all that is done on the pages: whose session has ended is asked to log in again, and then it goes on. */
export const client = withLoginAgain(plainClient);

const firstAnswers = new Map(Object.entries(bootstrap.answers));

/** The same for what is read first: answers that came with the page are not asked for again. */
export const reader = withLoginAgain(
  createClient({
    base: BASE,
    fetch: (address, init) => {
      const answer = typeof address === 'string' ? firstAnswers.get(address) : undefined;
      if (answer === undefined) return fetch(address, init);
      // Once: later it may not be so any more.
      firstAnswers.delete(address as string);
      const headers = { 'content-type': 'application/json', ...(answer.etag !== undefined && { etag: answer.etag }) };
      return Promise.resolve(new Response(answer.text, { headers }));
    },
  }),
);
