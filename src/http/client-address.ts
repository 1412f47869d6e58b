import ipaddr from 'ipaddr.js';
import type { FastifyRequest } from 'fastify';

/** The same few addresses come again and again; beyond this many, they are not remembered. */
const MAX_REMEMBERED = 1000;
const remembered = new Map<string, string>();

/**
 * The IP address that a request comes from, written in one way: IPv6 in its short form (RFC 5952), IPv4 as such even inside IPv6. Behind proxies it
 * is what the farthest of the trusted ones says; where that is no address, the nearest one's own.
 */
export function addressOf(request: FastifyRequest): string {
  const { ip } = request;
  const known = remembered.get(ip);
  if (known !== undefined) return known;
  const address = canonicalAddress(ip) ?? canonicalAddress(request.socket.remoteAddress ?? '') ?? 'unknown';
  if (remembered.size < MAX_REMEMBERED && ipaddr.isValid(ip)) remembered.set(ip, address);
  return address;
}

/** The address in the one way that `addressOf` writes it; undefined where it is none. Some proxies add the port, or write IPv6 in brackets. */
export function canonicalAddress(text: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  if (!ipaddr.isValid(bare) || (!bare.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(bare))) return undefined;
  const address = ipaddr.process(bare.split('%')[0] ?? '');
  return address.kind() === 'ipv6' ? (address as ipaddr.IPv6).toRFC5952String() : address.toString();
}
