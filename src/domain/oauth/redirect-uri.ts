/*
 * Where programs may get their codes: pages over https, programs that listen on the machine of the user, and
 * applications that open a scheme of their own (RFC 8252, section 7).
 */

/** The characters of a URI (RFC 3986, section 2): no spaces, quotes or backslashes, which programs read differently. */
const URI = /^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/;

/**
 * The machine of the user. Its programs listen on `localhost` as well, although a name may lead elsewhere: PKCE keeps a
 * stolen code worthless (RFC 8252, sections 8.1 and 8.3).
 */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/i;

/** A domain name in reverse, such as `com.example.app` (RFC 8252, section 7.1). */
const REVERSE_DOMAIN = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:/i;

/** A name of an application, such as `cursor` or `vscode-insiders`. A single letter is a drive of Windows. */
const APPLICATION = /^[a-z][a-z0-9+-]+:\/\//i;

/**
 * The first words of schemes that lead to something other than an application of the user: scripts, documents and
 * settings of browsers, websites that handle a scheme (`web+`), files, commands of operating systems, and protocols of
 * the network.
 */
const FOREIGN_SCHEMES: ReadonlySet<string> = new Set(
  [
    'about blob cid data feed filesystem javascript jar livescript mhtml mid mocha res resource vbscript view wyciwyg',
    'brave browser chrome chromium edge ext firefox googlechrome microsoft moz opera safari vivaldi web webkit x',
    'android content file help hcp intent itms itmss market mk ms search shell urn',
    'dav dict ftp ftps git gopher http https imap irc ircs ldap ldaps mailto news nfs nntp pop rdp rlogin rtsp sftp sip',
    'sips smb sms smsto snews ssh svn tel telnet tftp vnc wais ws wss',
  ].flatMap((line) => line.split(' ')),
);

/** The problem with a redirect URI, as a predicate; undefined if it has none. */
export function problemOfRedirectUri(uri: string): string | undefined {
  if (!URI.test(uri) || !URL.canParse(uri)) return 'must be a URI';
  const { protocol, username, password } = new URL(uri);
  if (uri.includes('#')) return 'must not have a fragment';
  if (username !== '' || password !== '') return 'must not have a user name or a password';
  if (protocol === 'https:' || LOOPBACK.test(uri) || isOfApplication(uri)) return undefined;
  return 'must begin with https://, with http:// and a loopback address, or with the scheme of an application, such as com.example.app:/ or example://';
}

function isOfApplication(uri: string): boolean {
  if (!REVERSE_DOMAIN.test(uri) && !APPLICATION.test(uri)) return false;
  const [firstWord = ''] = uri.toLowerCase().split(/[:+-]/);
  return !FOREIGN_SCHEMES.has(firstWord);
}

/**
 * Whether a client may be redirected to this URI: exactly one that was registered (RFC 9700, section 2.1), except that
 * a program on the user's machine listens on any port of a loopback address (RFC 8252, section 7.3).
 */
export function isRegisteredUri(uri: string, registeredUris: readonly string[]): boolean {
  return registeredUris.some((registered) => registered === uri || isOnAnotherPort(registered, uri));
}

function isOnAnotherPort(registered: string, uri: string): boolean {
  // A port may be too high.
  return (
    URL.canParse(uri) && LOOPBACK.test(registered) && LOOPBACK.test(uri) && withoutPort(registered) === withoutPort(uri)
  );
}

function withoutPort(uri: string): string {
  return uri.replace(LOOPBACK, '$1');
}

/** Where a redirect URI leads: to a website, to a program on the machine of the user, or to an application. */
export interface RedirectTarget {
  kind: 'website' | 'machine' | 'application';
  /** The host with its port; of an application the beginning of its addresses, such as `cursor://`. */
  place: string;
}

/** @param uri a registered one, perhaps with the parameters of a response */
export function redirectTargetOf(uri: string): RedirectTarget {
  const { protocol, host } = new URL(uri);
  if (protocol === 'https:' || protocol === 'http:')
    return { kind: LOOPBACK.test(uri) ? 'machine' : 'website', place: host };
  return { kind: 'application', place: uri.startsWith(`${protocol}//`) ? `${protocol}//` : protocol };
}
