import type { Call } from './client.ts';

/* Clients at many addresses, for a service behind one trusted proxy. */

/** The same client with this address. */
export function fromAddress(call: Call, address: string): Call {
  return (method, path, options = {}) =>
    call(method, path, { ...options, headers: { ...options.headers, 'x-forwarded-for': address } });
}

/** Distinct IPv4 addresses. */
export function createAddresses(): () => string {
  let count = 0;
  return () => {
    count++;
    return `10.${count >> 16}.${(count >> 8) & 255}.${count & 255}`;
  };
}
