import { domainToASCII } from 'node:url';
import type { HttpSettings } from '../../http/pipeline/settings.ts';
import type { ListenAddress, SettingValues } from './setting-values.ts';

export interface HttpsSettings {
  /** The first one is that of the public URL; requests for the others are redirected to it. */
  domains: readonly string[];
  httpsListen: ListenAddress;
  httpListen: ListenAddress;
  /** The URL of the directory of the certificate authority (RFC 8555, section 7.1.1). */
  directory: string;
  /** See `CertificateRenewal`. */
  stagingDirectory: string | undefined;
}

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';
const LETS_ENCRYPT_STAGING = 'https://acme-staging-v02.api.letsencrypt.org/directory';

/** Let's Encrypt issues certificates for up to 100 names. A name of one label is no domain of the internet. */
const MAX_DOMAINS = 100;
const DOMAIN = /^(?=.{4,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/;

/** Undefined unless the service terminates TLS itself. */
export function readHttps(values: SettingValues): HttpsSettings | undefined {
  const text = values.text('domain').toLowerCase();
  if (text === '') return undefined;
  // An internationalized name as DNS has it.
  const domains = text.split(',').map((domain) => domainToASCII(domain.trim()));
  if (domains.length > MAX_DOMAINS || !domains.every((domain) => DOMAIN.test(domain)))
    values.problems.push(
      `${values.label('domain')} must be a list of domains such as pets.example.org, separated by commas, without https:// and paths.`,
    );
  const directory = values.url('acme-directory') ?? LETS_ENCRYPT;
  const any = { host: '::', port: 0 };
  return {
    domains: [...new Set(domains)],
    httpsListen: values.listenAddress('https-listen') ?? any,
    httpListen: values.listenAddress('http-listen') ?? any,
    directory,
    stagingDirectory: directory === LETS_ENCRYPT ? LETS_ENCRYPT_STAGING : undefined,
  };
}

/** Problems of settings that are valid alone. */
export function problemsWithHttps(
  values: SettingValues,
  { https, http }: { https: HttpsSettings | undefined; http: HttpSettings },
): readonly string[] {
  if (https === undefined) return [];
  const label = values.label('domain');
  const [first = ''] = https.domains;
  const problems: string[] = [];
  if (http.access === 'open')
    problems.push(`${label} serves everyone, but open access requires no credentials. Use --access secured.`);
  if (http.trustedProxies > 0)
    problems.push(`${label} serves clients without a proxy, and excludes ${values.label('trusted-proxies')}.`);
  const { protocol, host } = new URL(http.publicUrl ?? '');
  if (protocol !== 'https:' || host !== first)
    problems.push(`${values.label('public-url')} must begin with https://${first}, the first domain of ${label}.`);
  return problems;
}
