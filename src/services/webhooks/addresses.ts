import { lookup as lookUp, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/*
 * Which addresses may be called. Whoever may say where events go to must not get to what only this machine, or its network, can reach.
 */

/** A way to ask for the addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export class AddressRefused extends Error {
  constructor() {
    super('the address is not one of the public internet');
    this.name = 'AddressRefused';
  }
}

/** All that is given out to single hosts of the public internet (RFC 4291, section 2.4; https://www.iana.org/assignments/ipv6-unicast-address-assignments). */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Is this the address of a host of the public internet? Everything that is not clearly one is not: private, of this machine, of the link, shared, reserved, translated. */
export function isPublic(address: string): boolean {
  const [bare = ''] = address.split('%');
  if (isIP(bare) === 0) return false;
  const parsed = ipaddr.process(bare);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(...GLOBAL_UNICAST);
}

/** The host of a URL, as it is asked for; IPv6 without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Is the host an address that may not be called? Of a name, only its addresses can say, and those of this moment. */
export function isRefusedLiteral(url: URL): boolean {
  const host = hostOf(url);
  return isIP(host) !== 0 && !isPublic(host);
}

export const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookUp(hostname, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)));
  });

/**
 * Looks names up for a connection, and lets it see public addresses only: what is checked is what is connected to, so that a name that changes its
 * mind in between gains nothing.
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
