import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import type { Lifetime } from '../support/lifetime.ts';

export interface ProxyControl {
  /** Closes the connection immediately. */
  cut(): void;
  /** Closes the connection when the server responds, before the response passes. */
  cutAtResponse(): void;
}

/**
 * A proxy to a database server that can inspect and change what is sent, and close the connection.
 * @returns the URL of the database through the proxy
 */
export async function openDatabaseProxy(
  t: Lifetime,
  url: string,
  pass: (sent: Buffer, passage: ProxyControl) => Buffer | undefined,
): Promise<string> {
  const serverPort = Number(new URL(url).port);
  const listener = createServer((near) => {
    const far = connect(serverPort, '127.0.0.1');
    let isCut = false;
    const passage = {
      cut: () => void near.destroy(),
      cutAtResponse() {
        isCut = true;
        far.once('data', () => near.destroy());
      },
    };
    near.on('error', () => {}).on('close', () => far.end());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.on('data', (chunk: Buffer) => {
      const passing = pass(chunk, passage);
      if (passing !== undefined) far.write(passing);
    });
    far.on('data', (chunk: Buffer) => {
      if (!isCut) near.write(chunk);
    });
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  t.after(async () => {
    listener.close();
  });
  const { port } = listener.address() as AddressInfo;
  return Object.assign(new URL(url), { port: String(port) }).href;
}
