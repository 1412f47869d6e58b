import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/* Raw HTTP, for requests that no client library would send. */

export interface RawResponse {
  /** All bytes until the connection closed or stayed silent; one character for each byte. */
  text: string;
  /** Whether the service closed the connection. */
  closed: boolean;
}

export interface RawOptions {
  /** Silence after a complete response that counts as the end, unless the request asks to close the connection. */
  quietMs?: number;
  /** How long to wait for the end. */
  patienceMs?: number;
}

export async function openSocket(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

/** Sends the bytes (of a text, one for each character), and collects the response. */
export async function rawExchange(
  origin: string,
  bytes: string | Uint8Array,
  { quietMs = 150, patienceMs = 30_000 }: RawOptions = {},
): Promise<RawResponse> {
  const socket = await openSocket(origin);
  const sent = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : Buffer.from(bytes);
  const request = sent.toString('latin1');
  const closes = /^connection: *close\r$/im.test(request);
  const hasBody = !request.startsWith('HEAD ');
  const response = { text: '', closed: false };
  await new Promise<void>((resolve) => {
    const giveUp = setTimeout(resolve, patienceMs);
    let quiet: NodeJS.Timeout | undefined;
    const end = () => {
      response.closed = true;
      clearTimeout(giveUp);
      clearTimeout(quiet);
      resolve();
    };
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      response.text += String(chunk);
      clearTimeout(quiet);
      if (!closes && isComplete(response.text, hasBody)) quiet = setTimeout(resolve, quietMs);
    });
    // A reset also closes the connection.
    socket.on('error', end).on('end', end).on('close', end);
    socket.write(sent);
  });
  socket.destroy();
  return response;
}

/** Whether the text ends with the body of a response, by its Content-Length. */
function isComplete(text: string, hasBody: boolean): boolean {
  if (!hasBody) return text.endsWith('\r\n\r\n');
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  // Of a chunked body, which may never end, a chunk. More follows after 100 Continue.
  if (length === undefined) return text.endsWith('\r\n') && !head.startsWith('HTTP/1.1 100 ');
  return rest.join('\r\n\r\n').length >= Number(length);
}
