import type { BodyKind, Endpoint } from '../api/endpoints.ts';
import { NetworkError } from './failures.ts';
import { parameterText, writeJson } from './int64-text.ts';
import { HEADER_OPTIONS, type CallOptions, type UploadProgress } from '../api/documents/operation-types.ts';

type RequestBody = NonNullable<NonNullable<Parameters<typeof globalThis.fetch>[1]>['body']>;

export interface PreparedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: RequestBody | undefined;
  /** False for a streamed body, which can be read only once. */
  isRepeatable: boolean;
  onProgress: ((progress: UploadProgress) => void) | undefined;
}

export type Input = Readonly<Record<string, unknown>>;

export type AnyOptions = CallOptions &
  Partial<Record<keyof typeof HEADER_OPTIONS, string | bigint | number>> & {
    onProgress?: (progress: UploadProgress) => void;
  };

/** Browsers cannot stream a body over HTTP/1.1, but XMLHttpRequest reports progress, so the body itself need not. */
export interface BodyAbilities {
  reportsProgress: boolean;
}

/** Without a regular expression, which would take quadratic time for a long run of slashes that is not at the end. */
export function withoutTrailingSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}

/** @param base base URL of the API, without a trailing slash */
export async function prepareRequest(
  { base, endpoint, accept }: { base: string; endpoint: Endpoint; accept: string },
  { body, ...fields }: Input,
  { options, abilities }: { options: AnyOptions; abilities: BodyAbilities },
): Promise<PreparedRequest> {
  const url = `${base}${addressOf(endpoint, fields)}`;
  const onProgress = abilities.reportsProgress ? undefined : options.onProgress;
  const content: Content = body === undefined ? { body } : await WRITERS[endpoint.body](body, onProgress);
  return {
    method: endpoint.method,
    url,
    headers: { accept, ...content.headers, ...headersOf(options) },
    body: content.body,
    isRepeatable: !(content.body instanceof ReadableStream),
    onProgress: options.onProgress,
  };
}

/**
 * Returns the address below the base URL of the API, with the query.
 *
 * @throws TypeError if a parameter of the path is missing
 */
export function addressOf(endpoint: Endpoint, fields: Input): string {
  const rest = { ...fields };
  const path = endpoint.path.replace(/^\/v2/, '').replaceAll(/\{(\w+)\}/g, (_braces, name: string) => {
    const text = parameterText(rest[name] ?? '');
    delete rest[name];
    if (text === '') throw new TypeError(`${name} is missing.`);
    // Even if encoded, it would change the path (https://url.spec.whatwg.org/#double-dot-path-segment).
    if (text === '.' || text === '..')
      throw new TypeError(`${name} cannot be "${text}" because a URL cannot contain it.`);
    return encodeURIComponent(text);
  });
  return `${path}${queryText(rest)}`;
}

function headersOf(options: AnyOptions): Record<string, string> {
  const named = Object.entries(HEADER_OPTIONS).flatMap(([option, header]) => {
    const value = options[option as keyof typeof HEADER_OPTIONS];
    return value === undefined ? [] : [[header.toLowerCase(), parameterText(value)]];
  });
  const others = Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries([...named, ...others]) as Record<string, string>;
}

/** A list becomes repeated parameters, because its members may contain commas. */
function queryText(fields: Input): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value])
      if (each !== undefined && each !== null) query.append(name, parameterText(each));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

type Progress = AnyOptions['onProgress'];

interface Content {
  headers?: Record<string, string>;
  body: RequestBody | undefined;
}

const WRITERS: Readonly<Record<BodyKind, (body: unknown, onProgress: Progress) => Content | Promise<Content>>> = {
  none: () => ({ body: undefined }),
  json: (body) => ({ headers: { 'content-type': 'application/json' }, body: writeJson(body) }),
  'merge-patch': (body) => ({ headers: { 'content-type': 'application/merge-patch+json' }, body: writeJson(body) }),
  ndjson: (body) => ({
    headers: { 'content-type': 'application/x-ndjson' },
    body: (body as readonly unknown[]).map((line) => `${writeJson(line)}\n`).join(''),
  }),
  form: (body) => ({ body: formFields(body as Input) }),
  multipart: async (body, onProgress) => {
    // On first use: few pages of the web application upload anything.
    const { formOf, streamedForm } = await import('./uploads.ts').catch(failedToLoad);
    if (onProgress === undefined) return { body: formOf(body as Input) };
    const { body: streamed, contentType } = streamedForm(body as Input, onProgress);
    return { headers: { 'content-type': contentType }, body: streamed };
  },
};

/** The file of the web application could not be loaded. */
function failedToLoad(cause: unknown): never {
  throw new NetworkError('The code for uploads could not be loaded.', { cause });
}

function formFields(fields: Input): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && value !== null) form.append(name, parameterText(value));
  return form;
}
