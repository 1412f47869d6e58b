import type { Call } from './client.ts';

/*
 * Clients in many places: for a service behind one trusted proxy.
 */

/** The same client, as it comes from this address. */
export function fromAddress(call: Call, address: string): Call {
  return (method, path, options = {}) =>
    call(method, path, { ...options, headers: { ...options.headers, 'x-forwarded-for': address } });
}

/** IPv4 addresses, each another one. */
export function createAddresses(): () => string {
  let count = 0;
  return () => {
    count++;
    return `10.${count >> 16}.${(count >> 8) & 255}.${count & 255}`;
  };
}
