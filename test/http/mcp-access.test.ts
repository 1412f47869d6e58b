import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import type {
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { callTool, connectAgent, sendCall, sendMessage, toolNames } from '../support/agents.ts';
import { assertRefused, clientOf, type HttpResponse } from '../support/client.ts';
import { codeFor, exchange, newPkce, registerProgram, requestOf, tokenIn } from '../support/oauth.ts';
import { until } from '../support/kept-log.ts';
import { skipWithoutPlaygrounds } from '../support/nodes.ts';
import { createPlayground } from '../support/playgrounds.ts';
import { bearer, createKey, logIn, startSecuredService } from '../support/secured.ts';
import { startTestService } from '../support/service.ts';

/* Which tools agents get in secured access and in playgrounds, and how they ask for access. */

const { origin, call } = await startSecuredService({ after }, { nodes: 1, flags: ['--mcp', 'write'] });
const session = await logIn(call, 'edna');
const admin = await logIn(call, 'root');
const writingKey = (await createKey(call, session, ['read:pets', 'write:pets'])).key;
const readingKey = (await createKey(call, session, ['read:pets'])).key;
const viewersKey = (await createKey(call, await logIn(call, 'vera'), ['read:pets'])).key;

const READING = ['search_pets', 'get_pet', 'get_statistics'];
const WRITING = ['add_pet', 'update_pet', 'delete_pet', 'add_pet_photo'];
const OF_STAFF = ['get_pet_history', ...WRITING];
const ALL = [...READING, ...OF_STAFF];

const METADATA = `${origin}/.well-known/oauth-protected-resource/mcp`;

function challengeOf({ headers }: HttpResponse): string {
  return headers.get('www-authenticate') ?? assert.fail('no challenge');
}

void describe('MCP: tools by credentials', () => {
  const cases: readonly [name: string, headers: Readonly<Record<string, string>>, tools: readonly string[]][] = [
    ['no credentials', {}, ALL],
    ['a key that may read', bearer(readingKey), READING],
    ["a viewer's key", bearer(viewersKey), READING],
    ['a key that may write', bearer(writingKey), ALL],
    ['a key in the header api_key', { api_key: writingKey }, ALL],
  ];
  for (const [name, headers, tools] of cases)
    void it(`${name}: ${tools.length} tools`, async (t) => {
      const agent = await connectAgent(t, origin, { requestInit: { headers } });
      assert.deepEqual(await toolNames(agent), tools);
      const instructions = agent.getInstructions() ?? '';
      assert.equal(/only read/.test(instructions), tools.length === READING.length);
      assert.equal(/log in/.test(instructions), name === 'no credentials');
    });

  void it('no credentials: earlier clients see the tools that a login adds as well', async (t) => {
    assert.deepEqual(await toolNames(await connectAgent(t, origin, { version: 'legacy' })), ALL);
  });

  void it('no credentials: the descriptions are those of staff, with nothing of the shelter', async (t) => {
    const headers = bearer(admin);
    const own = { key: 'donor', type: 'text', label: { en: 'Donor', de: 'Donor' }, isPublic: false };
    const { status, text } = await call('PUT', 'own-fields', { headers, json: { fields: [own] } });
    assert.equal(status, 200, text);
    const anonymous = await (await connectAgent(t, origin)).listTools();
    const staff = await (await connectAgent(t, origin, { requestInit: { headers: bearer(writingKey) } })).listTools();
    assert.deepEqual(anonymous.tools, staff.tools);
    assert.doesNotMatch(JSON.stringify(anonymous), /donor/i);
  });

  void it('the default leaves the history to staff', async (t) => {
    const service = await startSecuredService(t, { nodes: 1 });
    const { key } = await createKey(service.call, await logIn(service.call, 'edna'), ['write:pets']);
    const agent = await connectAgent(t, service.origin, { requestInit: { headers: bearer(key) } });
    assert.deepEqual(await toolNames(agent), [...READING, 'get_pet_history']);
    await assert.rejects(callTool(agent, 'delete_pet', { id: '1' }), /Unknown tool/);
    const anonymous = await connectAgent(t, service.origin);
    assert.deepEqual(await toolNames(anonymous), [...READING, 'get_pet_history']);
    assertRefused(await sendCall(service.call, service.origin, 'get_pet_history', { id: '1' }), 401);
    await assert.rejects(callTool(anonymous, 'delete_pet', { id: '1' }), /Unknown tool/);
  });
});

/** @param error the parameter of the header, if there is one */
function challenge(error: string): string {
  return `Bearer realm="menagerie", resource_metadata="${METADATA}", ${error}scope="read:pets write:pets"`;
}

void describe('MCP: refused calls', () => {
  void it('ask an anonymous agent for a token', async () => {
    for (const tool of OF_STAFF) {
      const refused = await sendCall(call, origin, tool, { id: '1' });
      assertRefused(refused, 401, tool);
      assert.equal(challengeOf(refused), challenge(''));
    }
  });

  void it('ask the owner of a key for one with more scopes', async () => {
    for (const key of [readingKey, viewersKey]) {
      const refused = await sendCall(call, origin, 'delete_pet', { id: '1' }, bearer(key));
      assertRefused(refused, 403);
      assert.equal(challengeOf(refused), challenge('error="insufficient_scope", '));
    }
  });

  void it('say that credentials are not valid', async () => {
    for (const headers of [bearer('mgk_wrong'), bearer(`mgk_${'x'.repeat(43)}`), { api_key: 'special-key' }]) {
      const refused = await sendMessage(call, origin, 'tools/list', { headers });
      assertRefused(refused, 401);
      assert.equal(challengeOf(refused), challenge('error="invalid_token", '));
    }
  });

  void it('are for sessions of people as well', async () => {
    for (const headers of [bearer(session), { cookie: `menagerie_session=${session}` }]) {
      const { message } = assertRefused(await sendMessage(call, origin, 'tools/list', { headers }), 401);
      assert.match(message, /API key/);
    }
  });

  void it('are written to the audit log', async () => {
    const { key, id } = await createKey(call, session, ['read:pets'], { name: 'refused' });
    assert.equal((await sendCall(call, origin, 'add_pet', { name: 'Rex' }, bearer(key))).status, 403);
    await until('an entry in the audit log', async () => {
      const log = await call('GET', 'admin/audit?outcome=refused', { headers: bearer(admin) });
      return log.text.includes(id);
    });
  });
});

void test('MCP: a change has the key and its owner as the author', async (t) => {
  const agent = await connectAgent(t, origin, { requestInit: { headers: bearer(writingKey) } });
  const { structured } = await callTool(agent, 'add_pet', { name: 'Rex' });
  const { id } = structured['pet'] as { id: string };
  const history = await callTool(agent, 'get_pet_history', { id });
  const [entry] = history.structured['entries'] as readonly { actor: { id: string; name: string } }[];
  assert.equal(entry?.actor.name, 'edna');
  assert.match(entry.actor.id, /^\d+$/);
});

void test('MCP: drafts are found only by those who may change pets', async (t) => {
  const headers = bearer(writingKey);
  const json = { name: 'Hidden', profile: { isPublished: false } };
  const pet = await call('POST', 'pet', { headers, json });
  const { id } = JSON.parse(pet.text) as { id: number };
  const [anonymous, staff] = [
    await connectAgent(t, origin),
    await connectAgent(t, origin, { requestInit: { headers } }),
  ];
  for (const [agent, total] of [
    [anonymous, 0],
    [staff, 1],
  ] as const) {
    assert.equal((await callTool(agent, 'search_pets', { text: 'Hidden' })).structured['total'], total);
    assert.equal((await callTool(agent, 'get_pet', { id: String(id) })).isError, total === 0);
  }
});

void test('MCP: calls count as requests of the key', async (t) => {
  const service = await startSecuredService(t, { nodes: 1, config: { sessions: { requestsPerHour: 3 } } });
  const { key } = await createKey(service.call, await logIn(service.call, 'edna'), ['read:pets']);
  const statuses = [];
  for (let count = 0; count < 4; count++)
    statuses.push((await sendMessage(service.call, service.origin, 'tools/list', { headers: bearer(key) })).status);
  assert.deepEqual(statuses, [200, 200, 200, 429]);
});

/** A program with OAuth, as far as it does not need a browser. */
class Program implements OAuthClientProvider {
  readonly redirectUrl = 'https://program.example/back?from=menagerie';
  readonly clientMetadata = { redirect_uris: [this.redirectUrl], token_endpoint_auth_method: 'none' };
  readonly #id: string;
  verifier = '';
  saved: OAuthTokens | undefined;
  discovered: OAuthDiscoveryState | undefined;
  askedAt: URL | undefined;

  constructor(id: string) {
    this.#id = id;
  }

  clientInformation(): OAuthClientInformationMixed {
    return { client_id: this.#id };
  }

  tokens(): OAuthTokens | undefined {
    return this.saved;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.saved = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.askedAt = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.discovered = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.discovered;
  }

  codeVerifier(): string {
    return this.verifier;
  }
}

void test('MCP: an agent finds the authorization server, and gets its tools with an access token', async (t) => {
  const { id } = await registerProgram(call, session, { isPublic: true, redirectUris: [new Program('').redirectUrl] });
  const program = new Program(id);
  const agent = await connectAgent(t, origin, { authProvider: program });
  assert.deepEqual(await toolNames(agent), ALL);
  await assert.rejects(callTool(agent, 'add_pet', { name: 'Rex' }), UnauthorizedError);
  const asked = program.askedAt ?? assert.fail('the program does not ask');
  assert.equal(asked.origin + asked.pathname, `${origin}/oauth/authorize`);
  assert.equal(asked.searchParams.get('scope'), 'read:pets write:pets');
  assert.equal(asked.searchParams.get('resource'), `${origin}/mcp`);

  const parameters = Object.fromEntries([...asked.searchParams].filter(([name]) => name !== 'resource'));
  const code = await codeFor(call, session, parameters);
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { authProvider: program });
  await transport.finishAuth(new URLSearchParams({ code, iss: origin }));
  const withToken = await connectAgent(t, origin, { authProvider: program });
  assert.deepEqual(await toolNames(withToken), ALL);
  const { isError, text } = await callTool(withToken, 'add_pet', { name: 'Rex' });
  assert.equal(isError, false, text);
});

void describe('MCP: playgrounds', { skip: skipWithoutPlaygrounds() }, () => {
  void it('have tools of their own, and credentials that work nowhere else', async (t) => {
    const sides = [];
    for (const name of ['Alpha', 'Beta']) {
      const options = { contents: 'empty', access: 'secured' };
      const playground = await createPlayground(call, options, bearer(admin));
      const { username, password } = playground.users.find(({ role }) => role === 'admin') ?? assert.fail();
      const token = await logIn(playground.call, username, password);
      const { key } = await createKey(playground.call, token, ['read:pets', 'write:pets']);
      const root = playground.base.replace(/\/v2$/, '');
      const agent = await connectAgent(t, root, { requestInit: { headers: bearer(key) } });
      sides.push({ name, root, key, token, agent });
    }
    // In turns, on the same connections.
    for (const { name, agent } of [...sides, ...sides]) await callTool(agent, 'add_pet', { name });
    await Promise.all(
      [...sides, ...sides, ...sides].map(async ({ name, agent, root }) => {
        const { structured } = await callTool(agent, 'search_pets');
        assert.equal(structured['total'], 2);
        assert.deepEqual(new Set(JSON.stringify(structured).match(/Alpha|Beta/g)), new Set([name]));
        const { page } = (await callTool(agent, 'get_pet', { id: '1' })).structured;
        assert.equal(page, `${root}/pets/1`);
      }),
    );

    const [alpha = assert.fail(), beta = assert.fail()] = sides;
    const foreign: [root: string, key: string][] = [
      [alpha.root, beta.key],
      [beta.root, alpha.key],
      [origin, alpha.key],
      [alpha.root, writingKey],
      [beta.root, alpha.token],
      [alpha.root, session],
    ];
    for (const [root, key] of foreign) {
      const refused = await sendCall(call, root, 'search_pets', {}, bearer(key));
      assertRefused(refused, 401, root);
      assert.ok(challengeOf(refused).includes(`"${root}/.well-known/oauth-protected-resource/mcp"`));
    }
  });

  void it('list the tools that a login adds, and ask for one at their own authorization server', async (t) => {
    const playground = await createPlayground(call, { contents: 'empty', access: 'secured' }, bearer(admin));
    const root = playground.base.replace(/\/v2$/, '');
    assert.deepEqual(await toolNames(await connectAgent(t, root)), ALL);
    for (const tool of OF_STAFF) {
      const refused = await sendCall(call, root, tool, { id: '1' });
      assertRefused(refused, 401, tool);
      assert.ok(challengeOf(refused).includes(`"${root}/.well-known/oauth-protected-resource/mcp"`));
    }
  });

  void it('are found by agents with their own authorization server', async () => {
    const options = { contents: 'empty', access: 'secured' };
    const playground = await createPlayground(call, options, bearer(admin));
    const root = playground.base.replace(/\/v2$/, '');
    const path = `/s/${playground.token}`;
    const expected = { resource: `${root}/mcp`, authorization_servers: [root] };
    // Where WWW-Authenticate leads, and with the path behind the name (RFC 9728, section 3.1).
    for (const url of [
      `${root}/.well-known/oauth-protected-resource/mcp`,
      `${origin}/.well-known/oauth-protected-resource${path}/mcp`,
    ]) {
      const { status, text } = await call('GET', url);
      assert.equal(status, 200, url);
      const { resource, authorization_servers } = JSON.parse(text) as typeof expected;
      assert.deepEqual({ resource, authorization_servers }, expected);
    }
    const server = await call('GET', `${origin}/.well-known/oauth-authorization-server${path}`);
    assert.equal((JSON.parse(server.text) as { issuer: string }).issuer, root);
    const unknown = await call('GET', `${origin}/.well-known/oauth-authorization-server/s/unknown`);
    assertRefused(unknown, 404);
  });

  void it('that are open offer all tools without credentials', async (t) => {
    const service = await startTestService(t, { flags: ['--empty', '--access=sandbox'] });
    const playground = await createPlayground(clientOf(service.base), { contents: 'empty' });
    const agent = await connectAgent(t, playground.base.replace(/\/v2$/, ''));
    assert.deepEqual(await toolNames(agent), ALL);
    assert.equal((await callTool(agent, 'add_pet', { name: 'Rex' })).isError, false);
    const root = await connectAgent(t, service.origin);
    assert.equal((await callTool(root, 'search_pets')).structured['total'], 0);
    // Outside, the service decides.
    assert.deepEqual(await toolNames(root), [...READING, 'get_pet_history']);
  });
});

void test('MCP: the token of a program works as those of the API', async (t) => {
  const program = await registerProgram(call, session, {});
  const pkce = newPkce();
  const code = await codeFor(call, session, requestOf(program, pkce, { scope: 'read:pets' }));
  const response = await exchange(call, program, code, { code_verifier: pkce.verifier, resource: `${origin}/mcp` });
  const { access_token: token } = tokenIn(response);
  const agent = await connectAgent(t, origin, { requestInit: { headers: bearer(token) } });
  assert.deepEqual(await toolNames(agent), READING);
  assert.equal((await sendCall(call, origin, 'add_pet', { name: 'Rex' }, bearer(token))).status, 403);
});
