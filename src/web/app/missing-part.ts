import { lazyRouteComponent } from '@tanstack/react-router';

/*
 * A part of the application that cannot be loaded: there is no network, or the service has another version of the application by now, or one node of
 * several has. The script at the top of the page (`http/web/policy.ts`) knows whether it helps to load the page once more.
 */

export class MissingPart extends Error {
  constructor(cause: unknown) {
    super('A part of the application could not be loaded.', { cause });
  }
}

/** A page of its own file. The router would load the document again where the file is missing, also without a network. */
export function lazyPage<Parts extends Record<string, unknown>, Name extends keyof Parts>(
  load: () => Promise<Parts>,
  name: Name,
) {
  const parts = () =>
    load().catch((error: unknown) => {
      throw new MissingPart(error);
    });
  return lazyRouteComponent<Parts, Name>(parts, name);
}

/** What `import()` throws has no class of its own. */
export function isMissingPart(error: unknown): boolean {
  return error instanceof MissingPart || (error instanceof TypeError && /import|module/i.test(error.message));
}

/** Loads the page once more, unless that was just done, or there is no network. */
export function mendByReload(): void {
  dispatchEvent(new Event('menagerie-part-missing'));
}

/** The same before anything of the application is shown: where it does not help, the reader is told so. */
export function giveUpStart(): void {
  dispatchEvent(new Event('menagerie-start-failed'));
}
