import assert from 'node:assert/strict';
import {
  Client,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client';
import type { Lifetime } from './lifetime.ts';
import type { Call, HttpResponse } from './client.ts';

/* Agents: the client of the protocol's own SDK, and single messages that tests can change. */

export const PROTOCOL_VERSION = '2026-07-28';

/** @param version the version of the protocol; 'legacy' for those before 2026-07-28 */
export async function connectAgent(
  t: Lifetime,
  base: string,
  { version = PROTOCOL_VERSION, ...options }: StreamableHTTPClientTransportOptions & { version?: string } = {},
): Promise<Client> {
  const mode = version === 'legacy' ? version : { pin: version };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), options));
  t.after(() => client.close());
  return client;
}

export interface CalledTool {
  structured: Record<string, unknown>;
  text: string;
  isError: boolean;
}

export async function callTool(client: Client, name: string, input: object = {}): Promise<CalledTool> {
  const result = await client.callTool({ name, arguments: input as Record<string, unknown> });
  const text = result.content.map((each) => (each.type === 'text' ? each.text : assert.fail(each.type))).join('\n');
  const structured = (result.structuredContent ?? {}) as Record<string, unknown>;
  return { structured, text, isError: result.isError === true };
}

/** The names of the tools that are offered. */
export async function toolNames(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

/** Sends one message of 2026-07-28. */
export function sendMessage(
  call: Call,
  base: string,
  method: string,
  { params = {}, headers = {} }: { params?: object; headers?: Readonly<Record<string, string>> } = {},
): Promise<HttpResponse> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const { name } = params as { name?: string };
  return call('POST', `${base}/mcp`, {
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL_VERSION,
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
      ...headers,
    },
    json: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
  });
}

/** Calls a tool by one message. */
export function sendCall(
  call: Call,
  base: string,
  name: string,
  input: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  return sendMessage(call, base, 'tools/call', { params: { name, arguments: input }, headers });
}
