/* Multipart bodies by hand: FormData always names files and always orders parts the same way. */

export interface Part {
  /** The name of the field. */
  name: string;
  fileName?: string;
  contentType?: string;
  /** Content-Transfer-Encoding of the content, which is encoded already. */
  encoding?: string;
  content: string | Uint8Array;
}

export interface MultipartBody {
  headers: { 'content-type': string };
  body: Uint8Array<ArrayBuffer>;
}

export const BOUNDARY = 'the-boundary-1x';

export function multipart(parts: readonly Part[]): MultipartBody {
  const chunks = parts.flatMap(({ name, fileName, contentType, encoding, content }) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`,
    fileName === undefined ? '' : `; filename="${fileName}"`,
    contentType === undefined ? '' : `\r\nContent-Type: ${contentType}`,
    encoding === undefined ? '' : `\r\nContent-Transfer-Encoding: ${encoding}`,
    '\r\n\r\n',
    content,
    '\r\n',
  ]);
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: Buffer.concat([...chunks, `--${BOUNDARY}--\r\n`].map((chunk) => Buffer.from(chunk))),
  };
}

/** A file upload as most clients send it. */
export function fileUpload(content: string | Uint8Array, fileName = 'rex.jpg'): MultipartBody {
  return multipart([{ name: 'file', fileName, contentType: 'application/octet-stream', content }]);
}
