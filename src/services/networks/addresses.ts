import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/*
 * Prevents server-side request forgery: a URL that the service is given must not reach this machine or its private
 * network.
 */

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export class AddressRefused extends Error {
  constructor() {
    super('the address is not public');
    this.name = 'AddressRefused';
  }
}

/**
 * The unicast addresses of the public internet (RFC 4291, section 2.4;
 * https://www.iana.org/assignments/ipv6-unicast-address-assignments).
 */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Whether this is the address of a host on the public internet. False for private, loopback, link-local, shared,
 * reserved and translated addresses.
 */
export function isPublic(address: string): boolean {
  const [bare = ''] = address.split('%');
  if (isIP(bare) === 0) return false;
  const parsed = ipaddr.process(bare);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(...GLOBAL_UNICAST);
}

/** The host of a URL; IPv6 without brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Whether the host is an IP address that is not public. A name is checked when it is looked up for a connection. */
export function isRefusedLiteral(url: URL): boolean {
  const host = hostOf(url);
  return isIP(host) !== 0 && !isPublic(host);
}

export const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookUp(hostname, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)));
  });

/**
 * A lookup that returns public addresses only. The checked address is the one that is connected to, so DNS rebinding
 * has no effect.
 */
export function publicLookup(resolve: Resolve): LookupFunction {
  return (hostname, { all, family }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const wanted = addresses.filter((found) => isPublic(found.address) && isOfFamily(found, family));
        const [first] = wanted;
        if (first === undefined) callback(new AddressRefused(), '', 0);
        else if (all === true) callback(null, [...wanted]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

function isOfFamily(found: LookupAddress, family: number | string | undefined): boolean {
  const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
  return wanted === undefined || wanted === 0 || found.family === wanted;
}
