import type { FastifyRequest } from 'fastify';
import { isIP } from 'node:net';
import type { PasskeySite } from '../../domain/sign-in/ports.ts';

/** The site of the passkeys of a request; undefined where browsers have none. */
export type SiteOf = (request: FastifyRequest) => PasskeySite | undefined;

/**
 * The Host header is not trusted, except for localhost, which every client reaches on its own machine only: a proxy may
 * forward any header, and passkeys work only on the site where they were created.
 */
export function passkeySites(publicUrl: string | undefined): SiteOf {
  if (publicUrl === undefined) return ({ headers }) => siteAt(`http://${headers.host ?? ''}`, true);
  const site = siteAt(publicUrl);
  return () => site;
}

/** Browsers have passkeys over https and on localhost, for names and not for IP addresses (WebAuthn, section 5.1.3). */
function siteAt(url: string, isOnlyLocal = false): PasskeySite | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, origin } = new URL(url);
  const isLocal = hostname === 'localhost';
  const isSecure = protocol === 'https:' && isIP(hostname.replaceAll(/[[\]]/g, '')) === 0;
  return isLocal || (isSecure && !isOnlyLocal) ? { rpId: hostname, origin } : undefined;
}
