import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
  type AuthInfo,
} from '@modelcontextprotocol/server';
import type { AgentProtocol, AgentRequest, AgentResponse, AgentServer, ToolDescription } from '../domain/protocol.ts';

/** The library wants the URL of a request, and does not use it. */
const ANY_URL = 'http://localhost/mcp';

/** The library requires both of earlier clients, although each response is JSON. The service has checked the header. */
const MEDIA_TYPES = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/**
 * The messages of MCP by `@modelcontextprotocol/server`: version 2026-07-28, in which a server keeps nothing between
 * requests, and earlier ones in the same way. It offers no subscriptions, whose streams would stay open.
 */
export class McpLibrary implements AgentProtocol {
  readonly #handler = createMcpHandler(({ authInfo }) => serverFor(serverIn(authInfo)), {
    legacy: 'reject',
    maxSubscriptions: 0,
  });

  async respond({ headers, message }: AgentRequest, server: AgentServer): Promise<AgentResponse> {
    const request = new Request(ANY_URL, { method: 'POST', headers: { ...headers, ...MEDIA_TYPES }, body: '{}' });
    const response = (await isLegacyRequest(request, message))
      ? await respondToEarlier(request, message, server)
      : await this.#handler.fetch(request, { parsedBody: message, authInfo: carrying(server) });
    const mediaType = response.headers.get('content-type') ?? undefined;
    return { status: response.status, mediaType, body: await response.text() };
  }
}

/** By itself, the library would send a stream with a single message, which not every client accepts. */
async function respondToEarlier(request: Request, message: unknown, description: AgentServer): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = serverFor(description);
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

/** The library passes this object on unchanged. The service has checked the credentials. */
function carrying(server: AgentServer): AuthInfo {
  return { token: '', clientId: '', scopes: [], extra: { server } };
}

function serverIn(authInfo: AuthInfo | undefined): AgentServer {
  return authInfo?.extra?.['server'] as AgentServer;
}

function serverFor({ name, title, version, instructions, tools, call }: AgentServer): Server {
  const server = new Server({ name, title, version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler('tools/list', async () => ({ tools: tools.map(asLibraryTool) }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const result = await call(params.name, params.arguments ?? {});
    if (result === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    const { texts, structured, isError } = result;
    return {
      content: texts.map((text) => ({ type: 'text' as const, text })),
      ...(structured !== undefined && { structuredContent: structured }),
      isError,
    };
  });
  return server;
}

type ObjectSchema = { type: 'object' };

function asLibraryTool({ inputSchema, outputSchema, ...tool }: ToolDescription) {
  return { ...tool, inputSchema: inputSchema as ObjectSchema, outputSchema: outputSchema as ObjectSchema };
}
