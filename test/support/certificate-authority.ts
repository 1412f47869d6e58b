import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Lifetime } from './lifetime.ts';
import { freePort } from './postgres-folder.ts';
import { temporaryFolder } from './service.ts';
import { trustCertificate } from './certificate.ts';
import { until } from './until.ts';

/*
 * Pebble, the test server of Let's Encrypt, with a DNS server that resolves all names to this machine. Debian has both.
 */

const isMissing = [
  ['pebble', '-help'],
  ['pebble-challtestsrv', '-help'],
  ['openssl', 'version'],
].some(([program = '', flag = '']) => spawnSync(program, [flag]).error !== undefined);

export const skipWithoutPebble = isMissing && 'Pebble (Debian: pebble) or OpenSSL is not installed';

export interface TestAuthority {
  /** The URL of its directory. */
  directory: string;
  /** The port at which it asks for challenges. */
  httpPort: number;
  /** The certificate that signs those it issues: PEM. */
  readRoot(): Promise<string>;
  /** Ends it. Orders fail from then on. */
  stop(): Promise<void>;
}

/** Starts an authority whose own certificate this process trusts. */
export async function startAuthority(t: Lifetime): Promise<TestAuthority> {
  const folder = await temporaryFolder(t);
  const [port, managementPort, httpPort, tlsPort, dnsPort, dnsManagementPort] = await freePorts(6);
  const { key, cert } = trustCertificate(t);
  await writeFile(join(folder, 'key.pem'), onlyKey(key));
  await writeFile(join(folder, 'cert.pem'), cert);
  const settings = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: join(folder, 'cert.pem'),
    privateKey: join(folder, 'key.pem'),
    httpPort,
    tlsPort,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
  };
  await writeFile(join(folder, 'pebble.json'), JSON.stringify({ pebble: settings }));
  const addresses = ['-dns01', `127.0.0.1:${dnsPort}`, '-management', `127.0.0.1:${dnsManagementPort}`];
  const none = ['-http01', '-https01', '-tlsalpn01', '-defaultIPv6'].flatMap((flag) => [flag, '']);
  run(t, 'pebble-challtestsrv', [...none, ...addresses, '-defaultIPv4', '127.0.0.1']);
  const pebble = run(t, 'pebble', ['-config', join(folder, 'pebble.json'), '-dnsserver', `127.0.0.1:${dnsPort}`]);
  const directory = `https://localhost:${port}/dir`;
  await until('the authority responds', () => get(directory).then(Boolean, () => false));
  return {
    directory,
    httpPort: httpPort ?? 0,
    readRoot: () => get(`https://localhost:${managementPort}/roots/0`),
    async stop() {
      if (pebble.exitCode !== null || pebble.signalCode !== null) return;
      pebble.kill('SIGKILL');
      await once(pebble, 'close');
    },
  };
}

function run(t: Lifetime, program: string, args: readonly string[]): ChildProcess {
  // Without the variable, Pebble waits up to 15 s before it asks for a challenge.
  const child = spawn(program, args, { env: { PEBBLE_VA_NOSLEEP: '1' }, stdio: 'ignore' });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  return child;
}

function onlyKey(pem: string): string {
  return execFileSync('openssl', ['pkey'], { input: pem, encoding: 'utf8' });
}

async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

/** Not `fetch`, which reads the trusted certificates once. */
async function get(url: string): Promise<string> {
  const sent = request(url, { agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return text(response);
}
