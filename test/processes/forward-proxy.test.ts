import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { startServer } from '../support/menagerie-process.ts';
import { CLIENT_ID, CLIENT_SECRET, startProvider } from '../support/openid-provider.ts';
import { newSecuredFolder } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';
import { TestBrowser } from '../support/test-browser.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

/*
 * A proxy for outgoing requests, as the environment names it (NODE_USE_ENV_PROXY): what uses it, and that it does not
 * open the private network to addresses that strangers choose.
 */

const PUBLIC_URL = 'https://pets.example.org';
const run = promisify(execFile);

/** Evaluates the body of a function with modules of the service, in a process with the proxy. Returns its output. */
async function withProxy(environment: Readonly<Record<string, string>>, body: string): Promise<string> {
  const program = `
    import { Sender } from ${moduleAt('features/webhooks/sender/sender.ts')};
    import { PhotoFetcher } from ${moduleAt('services/photo-sources/photo-fetcher.ts')};
    import { openPhotoStore } from ${moduleAt('storage/s3/photo-store.ts')};
    ${body}`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { env: environment });
  return stdout.trim();
}

function moduleAt(path: string): string {
  return JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
}

void describe('a proxy for outgoing requests', () => {
  void it('logins at providers use it, except for the hosts of NO_PROXY', async (t) => {
    const proxy = await startForwardProxy(t);
    const shelter = await startProvider({ after }, PUBLIC_URL, 'shelter');
    const dataDir = await newSecuredFolder();
    t.after(() => removeFolder(dataDir));
    const providers = `shelter = { issuer = "${shelter.issuer}", client-id = "${CLIENT_ID}", client-secret = "${CLIENT_SECRET}", sign-up = true }`;
    const flags = ['--empty', '--access', 'secured', '--public-url', PUBLIC_URL, '--providers', providers];
    const logIn = async (environment: Readonly<Record<string, string>>) => {
      const server = await startServer(t, dataDir, flags, { environment });
      const visitor = new TestBrowser(PUBLIC_URL, server.origin);
      await visitor.open(`${PUBLIC_URL}/sign-in/shelter`, (url) => url === `${PUBLIC_URL}/`);
      assert.equal((await visitor.call('GET', 'account')).status, 200);
      await server.end('SIGTERM');
    };
    shelter.people.set('ann', { preferred_username: 'ann' });
    shelter.subject = 'ann';
    await logIn(proxy.environment);
    // The discovery document, tokens, UserInfo and keys.
    assert.deepEqual(new Set(proxy.hosts), new Set([new URL(shelter.issuer).host]));
    assert.ok(proxy.hosts.length >= 4, String(proxy.hosts));
    proxy.hosts.length = 0;
    await logIn({ ...proxy.environment, NO_PROXY: '127.0.0.1' });
    assert.deepEqual(proxy.hosts, []);
  });

  void it('a bucket is reached through it', async (t) => {
    const proxy = await startForwardProxy(t);
    const credentials = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    const body = `
      const settings = { bucket: 'b', prefix: '', endpoint: 'http://s3.example', region: 'us-east-1', pathStyle: true };
      await openPhotoStore(settings).catch(() => {});
      process.exit();`;
    await withProxy({ ...proxy.environment, ...credentials }, body);
    assert.ok(proxy.hosts.length > 0);
    assert.deepEqual(new Set(proxy.hosts), new Set(['s3.example']));
  });

  void it('webhooks and photos at addresses do not use it, and do not reach private addresses', async (t) => {
    const proxy = await startForwardProxy(t);
    const receiver = await startReceiver(t);
    const { port } = new URL(receiver.origin);
    const body = `
      const sender = new Sender({ isPrivateAllowed: false, timeoutMs: 20_000 });
      const message = { secrets: ['whsec_eA=='], id: '1', atMs: 0, body: '{}' };
      const sent = await sender.send({ ...message, url: 'https://localhost:${port}/' }, new AbortController().signal);
      const fetcher = new PhotoFetcher({ isPrivateAllowed: false });
      const refused = async (url) => fetcher.read(url).then(() => 'read', (error) => error.message);
      const photos = [await refused('http://localhost:${port}/a.png'), await refused('https://localhost:${port}/a.png')];
      console.log(JSON.stringify([sent, ...photos]));
      process.exit();`;
    const refused = 'is not on the public internet';
    assert.deepEqual(JSON.parse(await withProxy(proxy.environment, body)), [
      { error: 'the address is not public' },
      refused,
      refused,
    ]);
    assert.deepEqual(proxy.hosts, []);
    assert.deepEqual(receiver.calls, []);
  });
});
