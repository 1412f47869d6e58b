/*
 * The interface to the library that implements the messages of the Model Context Protocol (MCP), in which agents find
 * and call tools.
 */

/** A tool as agents see it. The schemas are JSON Schemas of objects. */
export interface ToolDescription {
  name: string;
  title: string;
  description: string;
  inputSchema: object;
  outputSchema: object;
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    /** Whether it calls other services. */
    openWorldHint: boolean;
  };
}

export interface ToolResult {
  /** For the model, one after the other. */
  texts: readonly string[];
  /** Fits the output schema of the tool; undefined for an error. */
  structured?: Readonly<Record<string, unknown>>;
  isError: boolean;
}

/** The tools of one request. */
export interface AgentServer {
  name: string;
  title: string;
  version: string;
  /** For the model: what the service is, and how to use the tools together. */
  instructions: string;
  tools: readonly ToolDescription[];
  /** Undefined for an unknown tool. */
  call: (name: string, input: unknown) => Promise<ToolResult | undefined>;
}

export interface AgentRequest {
  /** The headers of the protocol, which begin with `mcp-`. */
  headers: Readonly<Record<string, string>>;
  /** A message of JSON-RPC. */
  message: unknown;
}

export interface AgentResponse {
  status: number;
  mediaType: string | undefined;
  body: string;
}

export interface AgentProtocol {
  /** Responds to a message. Each one is independent of all others. */
  respond(request: AgentRequest, server: AgentServer): Promise<AgentResponse>;
}
