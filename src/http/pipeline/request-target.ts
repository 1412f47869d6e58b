/*
 * Parts of a request target (RFC 9112, section 3.2). The URL class is not used: it throws for the target
 * `//?text=luna`, takes `//host/path` for another host, and an error that quotes the target could contain a password.
 */

/** The path as the client sent it, percent-encoded. */
export function pathIn(target: string): string {
  return /^[^?#]*/.exec(target)?.[0] ?? '';
}

/** The parameters of the query. */
export function searchParamsIn(target: string): URLSearchParams {
  return new URLSearchParams(/^[^?#]*\?([^#]*)/.exec(target)?.[1] ?? '');
}
