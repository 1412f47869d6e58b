import type { IncomingHttpHeaders } from 'node:http';

const CREDENTIALS = ['authorization', 'api_key', 'cookie'] as const;

/** The headers with credentials. */
export function credentialsOf(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const all = CREDENTIALS.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(
    all.filter((pair): pair is readonly [(typeof pair)[0], string] => typeof pair[1] === 'string'),
  );
}

export function removeCredentials(headers: IncomingHttpHeaders): void {
  for (const name of CREDENTIALS) delete headers[name];
}

export function hasAny(record: object): boolean {
  return Object.keys(record).length > 0;
}
