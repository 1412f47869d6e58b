import { BlockList, isIP } from 'node:net';
import { isPublicHost } from '../../domain/mail/mail-address.ts';

/** The server that accepts messages. Secret. */
export interface SmtpSettings {
  host: string;
  port: number;
  /** Whether the connection begins with TLS (`smtps:`), or is upgraded to it (`smtp:`), or is not encrypted. */
  security: 'tls' | 'starttls' | 'none';
  auth: { user: string; pass: string } | undefined;
  /** Whether the server is in this machine or network, so that it may deliver to names that only exist there. */
  isLocal: boolean;
  /** Whether it must have a public address: administrators have chosen it, who are not the operator. */
  isPublicOnly?: boolean;
}

const SMTPS_PORT = 465;
const SUBMISSION_PORT = 587;

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;
const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv4');
PRIVATE.addAddress('::1', 'ipv6');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');

const HOST = /^(?:[a-z\d](?:[\w.-]{0,251}[a-z\d])?|\[[\da-f:.]+\])$/i;

/**
 * Reads `smtps://user:password@host:465` or `smtp://user:password@host:587`. Connections are encrypted, except to this
 * machine, or with `?starttls=never`.
 *
 * @returns the rest of a sentence about what is wrong, which never contains a part of the URL
 */
export function readSmtpUrl(text: string): SmtpSettings | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || !HOST.test(url.hostname))
    return 'must be a URL such as smtps://user:password@mail.example.org.';
  if (!/^\/?$/.test(url.pathname) || url.hash !== '') return 'must not have a path or a fragment.';
  if ((url.username === '') !== (url.password === '')) return 'must have both a user name and a password, or neither.';
  const startTls = url.searchParams.get('starttls');
  const isKnown = [...url.searchParams.keys()].every((name) => name === 'starttls');
  if (!isKnown || !(startTls === null || /^(?:required|never)$/.test(startTls)))
    return 'may have the parameter starttls=required or starttls=never, and no other.';
  const isImplicit = url.protocol === 'smtps:';
  if (isImplicit && startTls !== null)
    return 'must not have the parameter starttls with smtps:, which is always encrypted.';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const auth = authOf(url);
  if (auth === null) return 'has a user name or password with a % that is not an encoded character: write %25 for %.';
  const isPlain = startTls === 'never' || (startTls === null && LOOPBACK_HOST.test(host));
  return {
    host,
    port: url.port === '' ? (isImplicit ? SMTPS_PORT : SUBMISSION_PORT) : Number(url.port),
    security: isImplicit ? 'tls' : isPlain ? 'none' : 'starttls',
    auth,
    isLocal: isLocalHost(host),
  };
}

export function isLocalHost(host: string): boolean {
  const version = isIP(host);
  return version === 0 ? !isPublicHost(host) : PRIVATE.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/** @returns null if they are not encoded as they should be */
function authOf({ username, password }: URL): SmtpSettings['auth'] | null {
  if (username === '') return undefined;
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    return null;
  }
}
