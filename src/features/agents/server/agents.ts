import type { ServerFeature } from '../../../server/features/feature.ts';
import type { AgentProtocol } from '../domain/protocol.ts';
import { AgentRoutes } from '../http/agent-routes.ts';

/** Loads the library on first use: it takes 10 MiB of heap, and many services serve no agents. It keeps nothing. */
const agentProtocol: AgentProtocol = { respond: async (...request) => (await load()).respond(...request) };

let loading: Promise<AgentProtocol> | undefined;

function load(): Promise<AgentProtocol> {
  return (loading ??= import('../mcp/mcp-library.ts').then(({ McpLibrary }) => new McpLibrary()));
}

/** Tools with which language models read and change pets (MCP). */
export const AGENTS: ServerFeature<object> = {
  compose: () => ({}),
  routesOf: (core, { mcp }) => new AgentRoutes({ ...core, agentProtocol }, mcp),
};
