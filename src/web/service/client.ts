import { createClient } from '../../client/client.ts';
import { bootstrap } from './bootstrap.ts';
import { withReauthentication } from './reauthentication.ts';

/** The base path of the API. */
export const BASE = `${bootstrap.basePath}/v2`;

/** The responses that came with the page, by address. They are for the first requests of the page, and expire. */
const firstResponses = new Map(
  Object.entries(bootstrap.responses).map(([path, response]) => [bootstrap.basePath + path, response]),
);
const FIRST_MS = 15_000;
const firstUntilMs = performance.now() + FIRST_MS;

/** A client without reauthentication, for requests to which 401 is a valid response. */
export const plainClient = createClient({ base: BASE });

/**
 * The client of the application. If the session has ended, it asks the user to log in again and then retries the
 * request.
 */
export const client = withReauthentication(plainClient, () => firstResponses.clear());

/** The client for reads. It takes the responses that came with the page, if there is one. */
export const reader = withReauthentication(
  createClient({
    base: BASE,
    fetch: (address, init) => {
      const response = findFirst(address);
      if (response === undefined) return fetch(address, init);
      // Each is used once: later it may be outdated.
      firstResponses.delete(address as string);
      const headers = {
        'content-type': 'application/json',
        ...(response.etag !== undefined && { etag: response.etag }),
      };
      return Promise.resolve(new Response(response.text, { headers, status: response.status ?? 200 }));
    },
  }),
);

function findFirst(address: unknown) {
  return typeof address === 'string' && performance.now() < firstUntilMs ? firstResponses.get(address) : undefined;
}
