import { PLAYGROUND_SEGMENT } from '../../api/records/playgrounds/playground.ts';
import { FEATURE_SERVICE_SEGMENTS } from '../../features/names.ts';
import { PAGE_PATHS } from '../../api/pages.ts';

/*
 * A service behind a reverse proxy may have a path, such as `https://example.org/zoo`: the public URL contains it. The
 * proxy usually removes the path from requests; a request that still has it is accepted as well.
 */

/** Beginnings of paths that belong to the service, and to no page of the web application. */
export const SERVICE_SEGMENTS = [
  'v2',
  'docs',
  'livez',
  'readyz',
  'metrics',
  'assets',
  'sign-in',
  ...FEATURE_SERVICE_SEGMENTS,
  PLAYGROUND_SEGMENT,
] as const;

const SERVICE_PATH = new RegExp(`^/(?:${SERVICE_SEGMENTS.join('|')})(?:[/?#]|$)`);

/** Whether the service responds at this path, and never a page of the web application. */
export function isServicePath(path: string): boolean {
  return SERVICE_PATH.test(path);
}

const OWN_SEGMENTS: ReadonlySet<string | undefined> = new Set([
  ...SERVICE_SEGMENTS,
  ...PAGE_PATHS.map((path) => path.split('/')[1]),
]);

/** The path of the public URL, without a slash at the end; empty if it has none. */
export function basePathOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
}

/**
 * Returns a function that removes the path of the public URL from request targets. It changes nothing if the service
 * has pages of the same name, such as `/pets`: then only the proxy knows which one is meant.
 */
export function withoutBasePath(basePath: string): (target: string) => string {
  if (OWN_SEGMENTS.has(basePath.split('/')[1])) return (target) => target;
  return (target) => {
    if (!target.startsWith(basePath)) return target;
    const rest = target.slice(basePath.length);
    if (rest.startsWith('/')) return rest;
    return rest === '' || rest.startsWith('?') ? `/${rest}` : target;
  };
}

/*
 * Parts of a request target (RFC 9112, section 3.2). The URL class is not used: it throws for the target
 * `//?text=luna`, takes `//host/path` for another host, and an error that quotes the target could contain a password.
 */

/** The path as the client sent it, percent-encoded. */
export function pathIn(target: string): string {
  return /^[^?#]*/.exec(target)?.[0] ?? '';
}

export function searchParamsIn(target: string): URLSearchParams {
  return new URLSearchParams(/^[^?#]*\?([^#]*)/.exec(target)?.[1] ?? '');
}
