import { lazyRouteComponent } from '@tanstack/react-router';

/*
 * Chunks that cannot be loaded: there is no network, or the service (or one of its nodes) runs another version of the
 * application. The inline script of the page (`http/web/policy.ts`) decides whether a reload may help.
 */

export class ChunkLoadError extends Error {
  constructor(cause: unknown) {
    super('A chunk of the application could not be loaded.', { cause });
  }
}

/**
 * A page in a chunk of its own. Without this, the router would reload the document if the chunk is missing, even
 * offline.
 */
export function lazyPage<Parts extends Record<string, unknown>, Name extends keyof Parts>(
  load: () => Promise<Parts>,
  name: Name,
) {
  const parts = () =>
    load().catch((error: unknown) => {
      throw new ChunkLoadError(error);
    });
  return lazyRouteComponent<Parts, Name>(parts, name);
}

/** The errors of `import()` have no class of their own, and that of a style sheet is from Vite. */
export function isChunkLoadError(error: unknown): boolean {
  if (error instanceof ChunkLoadError) return true;
  const { message } = error instanceof Error ? error : { message: '' };
  return error instanceof TypeError ? /import|module/i.test(message) : message.startsWith('Unable to preload CSS');
}

/** Reloads the page, unless it has just been reloaded or there is no network. */
export function reloadOnce(): void {
  dispatchEvent(new Event('menagerie-chunk-missing'));
}

/** Like `reloadOnce`, before the first render. If a reload does not help, the page shows an error. */
export function reportStartFailure(): void {
  dispatchEvent(new Event('menagerie-start-failed'));
}
