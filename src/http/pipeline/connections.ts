import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { networkOf } from '../../domain/accounts/attempt-throttle.ts';
import { Failure } from '../../domain/failure.ts';
import type { Guard, RouteConfig } from './admission.ts';

export interface ConnectionSettings {
  /** Maximum number of connections of this process, without those for probes. */
  maxConnections: number;
  /** Maximum number of connections from one address; behind trusted proxies, of concurrent requests. */
  maxConnectionsPerAddress: number;
  /** Number of trusted reverse proxies. */
  trustedProxies: number;
  /** Time for a JSON or form body to arrive. */
  bodyTimeoutMs: number;
}

/** Maximum number of connections beyond the limits. Each one serves a probe, or gets a response with 429 or 503. */
const MAX_SPARE = 500;
const SPARE_MS = 10_000;

const PROBES = new Set<string | undefined>(['/livez', '/readyz']);

/** Interval of the check for late bodies, and minimum interval between closing idle connections. */
const CHECK_MS = 2000;
const RETRY_AFTER_SECONDS = 10;

/** A request whose body is being received. */
interface ArrivingBody {
  request: FastifyRequest['raw'];
  reply: FastifyReply['raw'];
  /** An upload or NDJSON, limited only by the timeout for whole requests. */
  isLarge: boolean;
  /** The time of the first check that found it incomplete. */
  seenAtMs: number | undefined;
}

/** Limits the number of connections, per address and in total, and the time for a request body to arrive. */
export class Connections {
  readonly #settings: ConnectionSettings;
  readonly #server: Server;
  readonly #countOf = new Map<string, number>();
  readonly #spare = new Map<Socket, NodeJS.Timeout>();
  readonly #bodies = new Map<Socket, ArrivingBody>();
  #total = 0;
  #idleClosedAtMs = -Infinity;

  constructor(server: Server, settings: ConnectionSettings) {
    this.#server = server;
    this.#settings = settings;
    // Prepended, so that Node does not know the connection yet when idle connections are closed.
    server.prependListener('connection', (socket: Socket) => this.#accept(socket));
    const checking = setInterval(() => this.#endLateBodies(performance.now()), CHECK_MS).unref();
    server.once('close', () => clearInterval(checking));
  }

  /** Refuses requests beyond the limits, except probes. Must run before every other guard. */
  readonly guard: Guard = (request, reply, config) => {
    keepConnectionWhileWaiting(request, reply);
    this.#followBody(request, reply, config);
    const failure = this.#spare.has(request.socket) ? this.#refuseSpare(request, reply) : undefined;
    return failure ?? (this.#settings.trustedProxies > 0 ? this.#countRequest(request, reply) : undefined);
  };

  #accept(socket: Socket): void {
    const network = networkOfPeer(socket);
    if (this.#failureFor(network) === undefined) this.#count(socket, network);
    else this.#addSpare(socket);
    socket.once('close', () => this.#bodies.delete(socket));
  }

  /** The failure for one more connection from this network, if it exceeds a limit. */
  #failureFor(network: string): Failure | undefined {
    const { maxConnections, maxConnectionsPerAddress, trustedProxies } = this.#settings;
    // The connections of a trusted proxy are those of many clients.
    if (trustedProxies === 0 && (this.#countOf.get(network) ?? 0) >= maxConnectionsPerAddress)
      return tooManyAtAddress(maxConnectionsPerAddress);
    return this.#total >= maxConnections ? tooMany() : undefined;
  }

  #count(socket: Socket, network: string): void {
    this.#total++;
    this.#countOf.set(network, (this.#countOf.get(network) ?? 0) + 1);
    socket.once('close', () => {
      this.#total--;
      this.#release(network);
    });
  }

  #release(key: string): void {
    const left = (this.#countOf.get(key) ?? 1) - 1;
    if (left > 0) this.#countOf.set(key, left);
    else this.#countOf.delete(key);
  }

  /**
   * Closes the oldest spare connection if there are too many. By then, its client has normally received its response.
   */
  #addSpare(socket: Socket): void {
    if (this.#total >= this.#settings.maxConnections) this.#closeIdle();
    if (this.#spare.size >= MAX_SPARE) {
      const [oldest] = this.#spare.keys();
      if (oldest !== undefined) this.#removeSpare(oldest);
      oldest?.destroy();
    }
    this.#spare.set(socket, setTimeout(() => socket.destroy(), SPARE_MS).unref());
    socket.once('close', () => this.#removeSpare(socket));
  }

  #removeSpare(socket: Socket): void {
    clearTimeout(this.#spare.get(socket));
    this.#spare.delete(socket);
  }

  /**
   * Idle connections may be closed at any time (RFC 9112, section 9.5), so that idle clients cannot occupy all
   * connections.
   */
  #closeIdle(): void {
    const nowMs = performance.now();
    if (nowMs - this.#idleClosedAtMs < CHECK_MS) return;
    this.#idleClosedAtMs = nowMs;
    this.#server.closeIdleConnections();
  }

  #refuseSpare({ socket, routeOptions }: FastifyRequest, reply: FastifyReply): Failure | undefined {
    const network = networkOfPeer(socket);
    const failure = this.#failureFor(network);
    if (failure === undefined) {
      this.#removeSpare(socket);
      this.#count(socket, network);
      return undefined;
    }
    reply.header('connection', 'close');
    return PROBES.has(routeOptions.url) ? undefined : failure;
  }

  /** Behind proxies, the requests of one client arrive on many connections, so requests are counted. */
  #countRequest(request: FastifyRequest, reply: FastifyReply): Failure | undefined {
    const key = `client ${networkOf(addressOf(request))}`;
    const count = this.#countOf.get(key) ?? 0;
    const { maxConnectionsPerAddress } = this.#settings;
    if (count >= maxConnectionsPerAddress && !PROBES.has(request.routeOptions.url))
      return tooManyAtAddress(maxConnectionsPerAddress);
    this.#countOf.set(key, count + 1);
    reply.raw.once('close', () => this.#release(key));
    return undefined;
  }

  #followBody({ raw, socket }: FastifyRequest, reply: FastifyReply, { body }: RouteConfig): void {
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
    if (length === undefined && encoding === undefined) return;
    const isLarge = body === 'multipart' || body === 'ndjson';
    this.#bodies.set(socket, { request: raw, reply: reply.raw, isLarge, seenAtMs: undefined });
  }

  /** After the response, even a large body has no more time than a small one. */
  #endLateBodies(nowMs: number): void {
    for (const [socket, body] of this.#bodies) {
      if (body.request.complete || socket.destroyed) {
        this.#bodies.delete(socket);
        continue;
      }
      if (body.isLarge && !body.reply.writableEnded) continue;
      body.seenAtMs ??= nowMs;
      if (nowMs - body.seenAtMs < this.#settings.bodyTimeoutMs) continue;
      this.#bodies.delete(socket);
      if (body.reply.headersSent) socket.destroy();
      else this.#server.emit('clientError', Object.assign(new Error('late body'), { code: TIMED_OUT }), socket);
    }
  }
}

/** The code that Node itself uses for late headers and requests. */
const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** A client that waits for a response is not idle: image processing may take longer than the idle timeout. */
function keepConnectionWhileWaiting({ raw }: FastifyRequest, reply: FastifyReply): void {
  // If there is a listener, Node does not close the connection itself.
  reply.raw.on('timeout', (socket: Socket) => {
    if (!raw.complete || reply.raw.headersSent) socket.destroy();
  });
}

function networkOfPeer({ remoteAddress = '' }: Socket): string {
  return networkOf(canonicalAddress(remoteAddress) ?? 'unknown');
}

function tooManyAtAddress(quota: number): Failure {
  const limit = { name: 'connections', quota, isConcurrent: true } as const;
  const message = 'Too many connections from your address. Try again later.';
  return new Failure('too-many-requests', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, limit });
}

function tooMany(): Failure {
  const message = 'Too many connections. Try again later.';
  return new Failure('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Maximum number of cached addresses. Most requests come from one of a few. */
const MAX_CACHED_ADDRESSES = 1000;
const cachedAddresses = new Map<string, string>();

/**
 * The IP address of the client in canonical form: IPv6 as in RFC 5952, and IPv4 even if it is embedded in IPv6. Behind
 * proxies, the address that the farthest trusted proxy reports; if it is invalid, the address of the nearest proxy.
 */
export function addressOf(request: FastifyRequest): string {
  const { ip } = request;
  const cached = cachedAddresses.get(ip);
  if (cached !== undefined) return cached;
  const address = canonicalAddress(ip) ?? canonicalAddress(request.socket.remoteAddress ?? '') ?? 'unknown';
  if (cachedAddresses.size < MAX_CACHED_ADDRESSES && ipaddr.isValid(ip)) cachedAddresses.set(ip, address);
  return address;
}

/**
 * The address in canonical form; undefined if the text is not an address. Some proxies add the port, or write IPv6 in
 * brackets.
 */
function canonicalAddress(text: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  if (!ipaddr.isValid(bare) || (!bare.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(bare))) return undefined;
  const address = ipaddr.process(bare.split('%')[0] ?? '');
  return address.kind() === 'ipv6' ? (address as ipaddr.IPv6).toRFC5952String() : address.toString();
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The application at the root has those of its sockets; others share them. */
    connections: Connections;
  }
}
