import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as requestPlain, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { connect } from 'node:tls';
import type { Logger } from 'pino';
import { skipWithoutPebble, startAuthority } from '../support/certificate-authority.ts';
import { keepLog } from '../support/kept-log.ts';
import { freePort } from '../support/postgres-folder.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import type { Lifetime } from '../support/lifetime.ts';

const skip = skipWithoutPebble;
const DOMAIN = 'pets.example.org';
const OTHER_DOMAIN = 'www.example.org';

const running = skip === false ? await startAuthority({ after }) : undefined;

interface Response {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

async function read(sent: ReturnType<typeof request>): Promise<Response> {
  const [response] = (await once(sent.end(), 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

async function startHttps(t: Lifetime, { httpPort, log }: { httpPort?: number; log?: Logger } = {}) {
  assert.ok(running);
  const authority = { ...running, httpPort: httpPort ?? running.httpPort };
  const httpsPort = await freePort();
  const https = {
    domains: [DOMAIN, OTHER_DOMAIN],
    httpsListen: { host: '127.0.0.1', port: httpsPort },
    httpListen: { host: '127.0.0.1', port: authority.httpPort },
    directory: authority.directory,
    stagingDirectory: undefined,
  };
  const service = await startTestService(t, {
    flags: ['--access', 'sandbox', '--empty', '--public-url', `https://${DOMAIN}`],
    config: { https },
    ...(log && { log }),
  });
  const agent = new Agent({ ca: await authority.readRoot(), keepAlive: false });
  return {
    service,
    get: (path: string, servername = DOMAIN) => {
      const headers = { host: servername };
      return read(request({ host: '127.0.0.1', port: httpsPort, path, servername, agent, headers }));
    },
    getPlain: (path: string, options: RequestOptions = {}) =>
      read(requestPlain({ host: '127.0.0.1', port: authority.httpPort, path, agent: false, ...options })),
    httpsPort,
    isReady: () =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ host: '127.0.0.1', port: httpsPort, servername: DOMAIN, rejectUnauthorized: false });
        socket.once('secureConnect', () => resolve(true) ?? socket.end()).once('error', () => resolve(false));
      }),
  };
}

void describe('HTTPS', { skip }, () => {
  void it('a certificate is obtained, and the service answers at its domain', async (t) => {
    const { get, getPlain, isReady, service } = await startHttps(t);
    await until('the certificate is in use', isReady);

    const pets = await get('/v2/pet/findByStatus?status=available');
    assert.deepEqual([pets.status, pets.body], [200, '[]']);
    assert.match(pets.headers['strict-transport-security'] ?? '', /max-age=/);

    const redirected = await getPlain('/pets?status=available', { headers: { host: DOMAIN } });
    assert.deepEqual(
      [redirected.status, redirected.headers.location],
      [308, `https://${DOMAIN}/pets?status=available`],
    );
    assert.equal(redirected.headers['strict-transport-security'], undefined);
    const sent = await getPlain('/login', { method: 'POST', headers: { host: DOMAIN } });
    assert.deepEqual(
      [sent.status, sent.headers.location],
      [403, undefined],
      'a key must not be sent unencrypted again',
    );
    const foreign = await getPlain('//evil.example/', { headers: { host: 'evil.example' } });
    assert.equal(new URL(foreign.headers.location ?? '').host, DOMAIN);

    const other = await get('/about', OTHER_DOMAIN);
    assert.deepEqual([other.status, other.headers.location], [308, `https://${DOMAIN}/about`]);

    assert.equal((await getPlain('/.well-known/acme-challenge/unknown-token-of-nobody')).status, 404);
    const local = await fetch(`${service.base}/pet/findByStatus?status=available`);
    assert.equal(local.status, 200, 'the address of --host works as before');
  });

  void it('pending requests end before the service stops', async (t) => {
    const { get, isReady, service, httpsPort } = await startHttps(t);
    await until('the certificate is in use', isReady);
    const idle = connect({ host: '127.0.0.1', port: httpsPort, servername: DOMAIN, rejectUnauthorized: false });
    await once(idle, 'secureConnect');
    idle.resume();
    const ended = once(idle, 'close');
    const sent = Array.from({ length: 20 }, () => get('/v2/pet/findByStatus?status=available'));
    const first = await Promise.any(sent);
    const stopped = service.stop();
    const all = await Promise.allSettled(sent);
    await stopped;
    await ended;
    assert.equal(first.status, 200);
    for (const result of all) if (result.status === 'fulfilled') assert.equal(result.value.status, 200);
    await assert.rejects(get('/'), { code: 'ECONNREFUSED' });
  });

  void it('without a certificate, no handshake succeeds, and the log says why', async (t) => {
    // The authority asks at its own port, where nothing listens.
    const { log, find } = keepLog();
    const { getPlain, isReady } = await startHttps(t, { httpPort: await freePort(), log });
    await until('port 80 responds', () => getPlain('/').then(Boolean, () => false));
    const refused = await getPlain('/');
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '60']);
    assert.equal(await isReady(), false);
    const [line] = (await find(/obtaining a certificate failed/)) as readonly { error?: string }[];
    assert.match(line?.error ?? '', /refused/i);
  });
});
