import { execFileSync, spawnSync } from 'node:child_process';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Lifetime } from './lifetime.ts';

/* A certificate for localhost that this process trusts, made by OpenSSL, because Node.js only reads them. */

export const skipWithoutOpenSsl = spawnSync('openssl', ['version']).status !== 0 && 'OpenSSL is not installed';

const REQUEST =
  'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout - -out -';

/** The key and the certificate as PEM, trusted until the end of the test. */
export function trustCertificate(t: Lifetime): { key: string; cert: string } {
  const pem = execFileSync('openssl', REQUEST.split(' '), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, pem.slice(pem.indexOf('-----BEGIN CERTIFICATE'))]);
  t.after(async () => setDefaultCACertificates(trusted));
  return { key: pem, cert: pem };
}
