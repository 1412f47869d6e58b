import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { skipWithoutPlaygrounds } from '../support/nodes.ts';
import { createPlayground } from '../support/playgrounds.ts';
import { startTestService } from '../support/service.ts';

/* `/llms.txt` for language models, and the API catalog for programs (RFC 9727). */

const { origin, base } = await startTestService({ after });
const call = clientOf(origin);

interface Linkset {
  linkset: readonly (Record<string, readonly { href: string; type?: string }[] | string> & { anchor: string })[];
}

function linksIn(text: string): readonly string[] {
  return [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, href = '']) => href);
}

void describe('llms.txt', () => {
  void it('links to the documents, the MCP server and playgrounds', async () => {
    const { status, headers, text } = await call('GET', 'llms.txt');
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    assert.match(text, /^# Menagerie\n\n> /);
    assert.match(text, /No credentials are needed/);
    assert.equal(text.includes(`POST ${base}/playgrounds`), skipWithoutPlaygrounds() === false);
    const links = linksIn(text);
    assert.ok(links.includes(`${origin}/mcp`));
    for (const link of links) {
      const expected = link.endsWith('/mcp') ? 405 : link.endsWith('/about') ? 404 : 200;
      assert.equal((await call('GET', link)).status, expected, link);
    }
  });

  void it('has the public URL with its path, and says what the settings allow', async (t) => {
    const flags = ['--empty', '--access=sandbox', '--mcp=off', '--max-playgrounds=0'];
    const service = await startTestService(t, { flags: [...flags, '--public-url=https://example.org/zoo'] });
    const { text } = await call('GET', `${service.origin}/zoo/llms.txt`);
    assert.match(text, /A public demo/);
    assert.doesNotMatch(text, /MCP|Playgrounds/);
    for (const link of linksIn(text)) assert.ok(link.startsWith('https://example.org/zoo/'), link);
  });

  void it('--mcp write: says that tools change pets', async (t) => {
    const service = await startTestService(t, { flags: ['--empty', '--mcp=write'] });
    const { text } = await call('GET', `${service.origin}/llms.txt`);
    assert.match(text, /tools that search, read and, with permission, change pets/);
    assert.match((await call('GET', 'llms.txt')).text, /tools that search and read pets/);
  });

  void it('of a playground has its own links', { skip: skipWithoutPlaygrounds() }, async (t) => {
    const service = await startTestService(t, { flags: ['--empty'] });
    const playground = await createPlayground(clientOf(service.base));
    const root = playground.base.replace(/\/v2$/, '');
    const { text } = await call('GET', `${root}/llms.txt`);
    assert.match(text, /This is a playground/);
    for (const link of linksIn(text)) assert.ok(link.startsWith(`${root}/`), link);
  });
});

void describe('API catalog', () => {
  const url = `${origin}/.well-known/api-catalog`;

  void it('is a set of links with the profile of RFC 9727', async () => {
    const { status, headers, text } = await call('GET', url);
    assert.equal(status, 200);
    const type = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
    assert.equal(headers.get('content-type'), type);
    assert.equal(headers.get('access-control-allow-origin'), '*');
    const [api = assert.fail(), agents] = (JSON.parse(text) as Linkset).linkset;
    assert.deepEqual([api.anchor, agents?.anchor], [base, `${origin}/mcp`]);
    for (const relation of ['service-desc', 'service-doc', 'status']) {
      for (const { href, type: expected } of api[relation] as readonly { href: string; type?: string }[]) {
        const linked = await call('GET', href);
        assert.equal(linked.status, 200, href);
        if (expected !== undefined) assert.ok(linked.headers.get('content-type')?.startsWith(expected), href);
      }
    }
  });

  void it('responds to HEAD, and is linked from itself and the front page', async () => {
    const head = await call('HEAD', url);
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('link'), `<${url}>; rel="api-catalog"`);
    const front = await call('GET', origin, { headers: { accept: 'text/html' } });
    assert.equal(front.headers.get('link'), `<${url}>; rel="api-catalog"`);
  });
});

void test('API catalog: lists no MCP server if that is switched off', async (t) => {
  const service = await startTestService(t, { flags: ['--empty', '--mcp=off'] });
  const { text } = await call('GET', `${service.origin}/.well-known/api-catalog`);
  assert.equal((JSON.parse(text) as Linkset).linkset.length, 1);
});
