import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import type { Certificate } from '../../domain/https/ports.ts';
import type { ListenAddress } from '../configuration/setting-values.ts';
import { listenOn } from './listen-on.ts';

const { createServer } = process.getBuiltinModule('node:tls');

/** A handshake costs more than a request. Slow or silent clients lose their connection. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

interface TlsListenerDeps {
  address: ListenAddress;
  /** Gets the decrypted connections to a host. Its limits for connections apply to them. */
  serverOf: (hostName: string) => HttpServer;
  maxConnections: number;
}

/**
 * Decrypts connections, and passes them to the HTTP server. Until it has a certificate, every handshake fails, so that
 * no client gets an untrusted certificate.
 */
export class TlsListener {
  readonly #server: TlsServer;
  readonly #address: ListenAddress;

  constructor({ address, serverOf, maxConnections }: TlsListenerDeps) {
    this.#address = address;
    this.#server = createServer(
      { handshakeTimeout: HANDSHAKE_TIMEOUT_MS, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] },
      // Documented: any stream may be passed to an HTTP server with this event.
      (socket) => serverOf(socket.servername || '').emit('connection', socket),
    );
    this.#server.maxConnections = maxConnections;
    // A client that sends something else, or goes away.
    this.#server.on('tlsClientError', (_error, socket) => socket.destroy());
  }

  /** @throws Failure `unavailable` if the address cannot be used */
  async listen(): Promise<number> {
    await listenOn(this.#server, this.#address, 'https-listen');
    return (this.#server.address() as AddressInfo).port;
  }

  /** For new connections. */
  use({ privateKey, chain }: Pick<Certificate, 'privateKey' | 'chain'>): void {
    this.#server.setSecureContext({ key: privateKey, cert: chain, minVersion: 'TLSv1.2' });
  }

  /** Accepts no more connections. Returns when the HTTP server has closed all of them. */
  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
