import type { UploadProgress, UploadSource } from '../api/documents/operation-types.ts';

/*
 * Multipart bodies (RFC 7578).
 */

export type PartValue = string | UploadSource;

/** Small enough for a progress bar, and large enough for full speed. */
const CHUNK_BYTES = 64 * 1024;

/** A form that the runtime encodes. */
export function formOf(parts: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, value] of partsOf(parts)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, blobOf(value), fileNameOf(value));
  }
  return form;
}

/** A form that is encoded here, to report how much of the body has been sent. */
export function streamedForm(
  parts: Readonly<Record<string, unknown>>,
  onProgress: (progress: UploadProgress) => void,
): { body: ReadableStream<Uint8Array>; contentType: string } {
  const boundary = `menagerie-${globalThis.crypto.randomUUID()}`;
  const content: Blob[] = [];
  for (const [name, value] of partsOf(parts)) {
    const fileName = typeof value === 'string' ? '' : `; filename="${quoted(fileNameOf(value))}"`;
    const type = typeof value === 'string' ? '' : '\r\nContent-Type: application/octet-stream';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${fileName}${type}\r\n\r\n`;
    content.push(new Blob([head, typeof value === 'string' ? value : blobOf(value), '\r\n']));
  }
  const whole = new Blob([...content, `--${boundary}--\r\n`]);
  return { body: watched(whole, onProgress), contentType: `multipart/form-data; boundary=${boundary}` };
}

function watched(whole: Blob, onProgress: (progress: UploadProgress) => void): ReadableStream<Uint8Array> {
  let sentBytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = new Uint8Array(await whole.slice(sentBytes, sentBytes + CHUNK_BYTES).arrayBuffer());
        sentBytes += chunk.byteLength;
        controller.enqueue(chunk);
        onProgress({ sentBytes, totalBytes: whole.size });
        if (sentBytes >= whole.size) controller.close();
      },
    },
    // No buffering: progress counts only the chunks that were requested.
    { highWaterMark: 0 },
  );
}

function partsOf(parts: Readonly<Record<string, unknown>>): [name: string, value: PartValue][] {
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, isFile(value) ? value : String(value)]);
}

function isFile(value: unknown): value is UploadSource {
  return value instanceof Blob || value instanceof Uint8Array;
}

function blobOf(source: UploadSource): Blob {
  // The types exclude shared memory, but runtimes copy it as well.
  return source instanceof Blob ? source : new Blob([source as Uint8Array<ArrayBuffer>]);
}

function fileNameOf(source: UploadSource): string {
  return 'name' in source && typeof source.name === 'string' ? source.name : 'file';
}

/** As browsers write it (https://html.spec.whatwg.org/#multipart-form-data). */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
