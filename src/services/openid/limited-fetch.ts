import type { CustomFetch } from 'openid-client';

/** Documents of providers have a few kilobytes, and a person in a thousand groups a hundred. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Like `fetch`, but the response fails when it is too large. It never follows a redirect. */
export const limitedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, { ...(options as RequestInit), redirect: 'manual' });
  if (response.body === null) return response;
  let size = 0;
  const limited = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > MAX_RESPONSE_BYTES) controller.error(new Error('the response of the provider is too large'));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(limited, response);
};
