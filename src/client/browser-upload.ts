import type { PreparedRequest } from './requests.ts';

/*
 * In browsers, only XMLHttpRequest reports the progress of an upload.
 */

/** The part of https://xhr.spec.whatwg.org that is used here: this folder is compiled without the types of the DOM. */
interface Xhr {
  readonly upload: {
    addEventListener(type: 'progress', take: (event: { loaded: number; total: number }) => void): void;
  };
  readonly status: number;
  readonly responseURL: string;
  readonly response: ArrayBuffer;
  responseType: string;
  addEventListener(type: 'load' | 'error', take: () => void): void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: unknown): void;
  abort(): void;
}

const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => Xhr };

/**
 * Like `fetch`, but reports the progress of the body. XMLHttpRequest always follows redirects: the result is then a
 * redirect response, but the credentials have already been sent to the other address.
 */
export function sendByXhr(
  { method, url, headers, body, onProgress }: PreparedRequest,
  signal: AbortSignal,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    if (XMLHttpRequest === undefined) throw new Error('XMLHttpRequest is not available.');
    signal.throwIfAborted();
    const xhr = new XMLHttpRequest();
    xhr.open(method, url);
    xhr.responseType = 'arraybuffer';
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress?.({ sentBytes: loaded, totalBytes: total }),
    );
    const abort = () => {
      xhr.abort();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    const settle = (end: () => void) => () => {
      signal.removeEventListener('abort', abort);
      end();
    };
    xhr.addEventListener(
      'load',
      settle(() => resolve(responseOf(xhr, url))),
    );
    xhr.addEventListener(
      'error',
      settle(() => reject(new TypeError('The request failed.'))),
    );
    xhr.send(body);
  });
}

function responseOf(xhr: Xhr, url: string): Response {
  const asked = new URL(url, (globalThis as { location?: { href: string } }).location?.href).href;
  if (xhr.responseURL !== asked) return Response.redirect(xhr.responseURL);
  return new Response(xhr.response, { status: xhr.status, headers: headersIn(xhr.getAllResponseHeaders()) });
}

function headersIn(text: string): [name: string, value: string][] {
  return text
    .split('\r\n')
    .filter((line) => line.includes(':'))
    .map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).trim()];
    });
}
