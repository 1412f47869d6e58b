import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/* Raw HTTP, for requests that no client library would send. */

export interface RawAnswer {
  /** All bytes until the connection closed or stayed silent; one character for each byte. */
  text: string;
  /** Whether the service closed the connection. */
  closed: boolean;
}

export interface RawOptions {
  /** Silence after the beginning of an answer that counts as its end. */
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

/** Sends the bytes (of a text, one for each character), and collects the answer. */
export async function rawExchange(
  origin: string,
  bytes: string | Uint8Array,
  { quietMs = 150, patienceMs = 8000 }: RawOptions = {},
): Promise<RawAnswer> {
  const socket = await openSocket(origin);
  const answer = { text: '', closed: false };
  await new Promise<void>((resolve) => {
    const giveUp = setTimeout(resolve, patienceMs);
    let quiet: NodeJS.Timeout | undefined;
    const end = () => {
      answer.closed = true;
      clearTimeout(giveUp);
      clearTimeout(quiet);
      resolve();
    };
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      answer.text += String(chunk);
      clearTimeout(quiet);
      quiet = setTimeout(resolve, quietMs);
    });
    // A reset also closes the connection.
    socket.on('error', end).on('end', end).on('close', end);
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
  socket.destroy();
  return answer;
}
