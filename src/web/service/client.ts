import { createClient } from '../../contract/client/client.ts';
import { bootstrap } from './bootstrap.ts';

const BASE = '/v2';

/** Calls the service that the page came from. */
export const client = createClient({ base: BASE });

const firstAnswers = new Map(Object.entries(bootstrap.answers));

/** The same for what is read first: answers that came with the page are not asked for again. */
export const reader = createClient({
  base: BASE,
  fetch: (address, init) => {
    const answer = typeof address === 'string' ? firstAnswers.get(address) : undefined;
    if (answer === undefined) return fetch(address, init);
    // Once: later it may not be so any more.
    firstAnswers.delete(address as string);
    const headers = { 'content-type': 'application/json', ...(answer.etag !== undefined && { etag: answer.etag }) };
    return Promise.resolve(new Response(answer.text, { headers }));
  },
});
