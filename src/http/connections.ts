import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { networkOf } from '../domain/accounts/attempt-throttle.ts';
import { Failure } from '../domain/failure.ts';
import type { Guard, Operation } from './admission.ts';

export interface ConnectionSettings {
  /** Maximum number of connections of this process, those for probes not counted. */
  maxConnections: number;
  /** Maximum number of them from one address; behind trusted proxies, of requests in progress. */
  maxConnectionsPerAddress: number;
  trustedProxies: number;
  /** For a JSON or form body to arrive. */
  bodyTimeoutMs: number;
}

/** Maximum number of connections beyond the limits. Each serves one probe, or returns one 429 or 503. */
const MAX_SPARE = 500;
const SPARE_MS = 10_000;

const PROBES = new Set<string | undefined>(['/livez', '/readyz']);

/** Interval of the check for late bodies, and minimum interval between two closings of idle connections. */
const CHECK_MS = 2000;
const RETRY_AFTER_SECONDS = 10;

/** A request whose body is arriving. */
interface ArrivingBody {
  request: FastifyRequest['raw'];
  reply: FastifyReply['raw'];
  /** An upload or lines: limited by the timeout for whole requests. */
  isLarge: boolean;
  /** The time of the first check that found it incomplete. */
  seenAtMs: number | undefined;
}

/** Limits the connections of each address and of all addresses, and the time for a request body to arrive. */
export class Connections {
  readonly #settings: ConnectionSettings;
  readonly #server: Server;
  readonly #countAt = new Map<string, number>();
  readonly #spare = new Map<Socket, NodeJS.Timeout>();
  readonly #bodies = new Map<Socket, ArrivingBody>();
  #count = 0;
  #idleClosedAtMs = -Infinity;

  constructor(server: Server, settings: ConnectionSettings) {
    this.#server = server;
    this.#settings = settings;
    // Before Node takes it as one of its connections, so that it is not closed itself when idle ones are.
    server.prependListener('connection', (socket: Socket) => this.#accept(socket));
    const checking = setInterval(() => this.#endLateBodies(performance.now()), CHECK_MS).unref();
    server.once('close', () => clearInterval(checking));
  }

  /** Refuses what comes over the limits, except probes. Comes before every other guard. */
  readonly guard: Guard = (request, reply, operation) => {
    keepWaitingClient(request, reply);
    this.#followBody(request, reply, operation);
    const failure = this.#spare.has(request.socket) ? this.#refuseSpare(request, reply) : undefined;
    return failure ?? (this.#settings.trustedProxies > 0 ? this.#countRequest(request, reply) : undefined);
  };

  #accept(socket: Socket): void {
    const place = placeOf(socket);
    if (this.#problemAt(place) === undefined) this.#hold(socket, place);
    else this.#addSpare(socket);
    socket.once('close', () => this.#bodies.delete(socket));
  }

  /** Why there is no room for one more connection from there. */
  #problemAt(place: string): Failure | undefined {
    const { maxConnections, maxConnectionsPerAddress, trustedProxies } = this.#settings;
    // The connections of a trusted proxy are those of many clients.
    if (trustedProxies === 0 && (this.#countAt.get(place) ?? 0) >= maxConnectionsPerAddress) return tooManyFromThere();
    return this.#count >= maxConnections ? tooMany() : undefined;
  }

  #hold(socket: Socket, place: string): void {
    this.#count++;
    this.#countAt.set(place, (this.#countAt.get(place) ?? 0) + 1);
    socket.once('close', () => {
      this.#count--;
      this.#release(place);
    });
  }

  #release(place: string): void {
    const left = (this.#countAt.get(place) ?? 1) - 1;
    if (left > 0) this.#countAt.set(place, left);
    else this.#countAt.delete(place);
  }

  /** Closes the oldest spare connection if there are too many. By then, a prompt client has received its response. */
  #addSpare(socket: Socket): void {
    if (this.#count >= this.#settings.maxConnections) this.#closeIdle();
    if (this.#spare.size >= MAX_SPARE) {
      const [oldest] = this.#spare.keys();
      if (oldest !== undefined) this.#forgetSpare(oldest);
      oldest?.destroy();
    }
    this.#spare.set(socket, setTimeout(() => socket.destroy(), SPARE_MS).unref());
    socket.once('close', () => this.#forgetSpare(socket));
  }

  #forgetSpare(socket: Socket): void {
    clearTimeout(this.#spare.get(socket));
    this.#spare.delete(socket);
  }

  /** Connections that wait for their next request may be closed at any time (RFC 9112, section 9.5): nobody holds all of them by being idle. */
  #closeIdle(): void {
    const nowMs = performance.now();
    if (nowMs - this.#idleClosedAtMs < CHECK_MS) return;
    this.#idleClosedAtMs = nowMs;
    this.#server.closeIdleConnections();
  }

  #refuseSpare({ socket, routeOptions }: FastifyRequest, reply: FastifyReply): Failure | undefined {
    const place = placeOf(socket);
    const problem = this.#problemAt(place);
    if (problem === undefined) {
      this.#forgetSpare(socket);
      this.#hold(socket, place);
      return undefined;
    }
    reply.header('connection', 'close');
    return PROBES.has(routeOptions.url) ? undefined : problem;
  }

  /** Behind proxies, the requests of one client come over many connections. */
  #countRequest(request: FastifyRequest, reply: FastifyReply): Failure | undefined {
    const place = networkOf(addressOf(request));
    const count = this.#countAt.get(`client ${place}`) ?? 0;
    if (count >= this.#settings.maxConnectionsPerAddress && !PROBES.has(request.routeOptions.url))
      return tooManyFromThere();
    this.#countAt.set(`client ${place}`, count + 1);
    reply.raw.once('close', () => this.#release(`client ${place}`));
    return undefined;
  }

  #followBody({ raw, socket }: FastifyRequest, reply: FastifyReply, { body }: Operation): void {
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
    if (length === undefined && encoding === undefined) return;
    const isLarge = body === 'multipart' || body === 'ndjson';
    this.#bodies.set(socket, { request: raw, reply: reply.raw, isLarge, seenAtMs: undefined });
  }

  /** The body of a request that has been answered already has no more time than a small one. */
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

/** As Node itself has it, for headers and whole requests. */
const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** A client that has sent its whole request and waits for the answer is not idle: a photo may wait for its turn longer than an idle connection lives. */
function keepWaitingClient({ raw }: FastifyRequest, reply: FastifyReply): void {
  // With a listener here, Node leaves it to the listener to end the connection.
  reply.raw.on('timeout', (socket: Socket) => {
    if (!raw.complete || reply.raw.headersSent) socket.destroy();
  });
}

function placeOf({ remoteAddress = '' }: Socket): string {
  return networkOf(canonicalAddress(remoteAddress) ?? 'unknown');
}

function tooManyFromThere(): Failure {
  const message = 'Your address has too many connections at the moment. Try again later.';
  return new Failure('too-many-requests', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function tooMany(): Failure {
  const message = 'The service has too many connections at the moment. Try again later.';
  return new Failure('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Most requests come from one of a few addresses; beyond this many, addresses are not cached. */
const MAX_CACHED_ADDRESSES = 1000;
const cachedAddresses = new Map<string, string>();

/**
 * The IP address of the client, in canonical form: IPv6 as in RFC 5952, IPv4 also if it is embedded in IPv6. Behind proxies, it is the one that the
 * farthest trusted proxy reports; if that is no address, the address of the nearest proxy.
 */
export function addressOf(request: FastifyRequest): string {
  const { ip } = request;
  const cached = cachedAddresses.get(ip);
  if (cached !== undefined) return cached;
  const address = canonicalAddress(ip) ?? canonicalAddress(request.socket.remoteAddress ?? '') ?? 'unknown';
  if (cachedAddresses.size < MAX_CACHED_ADDRESSES && ipaddr.isValid(ip)) cachedAddresses.set(ip, address);
  return address;
}

/** The address in canonical form; undefined if the text is none. Some proxies add the port, or write IPv6 in brackets. */
function canonicalAddress(text: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  if (!ipaddr.isValid(bare) || (!bare.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(bare))) return undefined;
  const address = ipaddr.process(bare.split('%')[0] ?? '');
  return address.kind() === 'ipv6' ? (address as ipaddr.IPv6).toRFC5952String() : address.toString();
}
