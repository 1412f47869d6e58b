import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { passingResponse, passingRequest, type PassingMessage, type PassingRequest } from './http-message.ts';

/*
 * A proxy before equal nodes that gives each the next request. It forwards bytes unchanged, half-closed and broken
 * connections included, and parses only where a request and its response end. A request that it cannot parse goes to
 * one node, with the rest of the connection.
 */

export interface Front {
  /** `http://127.0.0.1:43210` */
  origin: string;
  /** The nodes, as `origin`; changes apply from the next request. */
  nodes: string[];
  /** Refuses new connections. */
  refuse(): void;
  /** Ends the remaining connections, after the nodes have closed theirs and the clients had a moment to follow. */
  close(): Promise<void>;
}

const PATIENCE_MS = 1000;

export async function openFront(origins: readonly string[]): Promise<Front> {
  const nodes = [...origins];
  let turn = 0;
  const nextNode = () => new URL(nodes[turn++ % nodes.length] ?? '');
  const clients = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    relay(client, nextNode, () => nodes.length);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    nodes,
    refuse: () => {
      server.close();
    },
    async close() {
      server.close();
      const ended = Promise.all([...clients].map((client) => once(client, 'close')));
      await Promise.race([ended, delay(PATIENCE_MS)]);
      for (const client of clients) client.destroy();
    },
  };
}

/** One request and its response, between a client and a node. */
interface Exchange {
  node: Socket;
  request: PassingRequest;
  response: PassingMessage;
  /** Bytes that the client sent before the node was connected. */
  waiting: Buffer[] | undefined;
}

function relay(client: Socket, nextNode: () => URL, countNodes: () => number): void {
  /** Bytes of later requests, during a response. */
  let held: Buffer[] = [];
  let isClientEnded = false;
  let exchange = begin();

  function begin(): Exchange {
    const request = passingRequest();
    const begun: Exchange = {
      node: client,
      request,
      response: passingResponse(request.method),
      waiting: [],
    };
    reach(begun, countNodes());
    return begun;
  }

  /** Uses the client's address. Skips a node that does not respond. */
  function reach(begun: Exchange, attempts: number): void {
    const { hostname, port } = nextNode();
    const node = connect({
      host: hostname,
      port: Number(port),
      allowHalfOpen: true,
      noDelay: true,
      ...(client.remoteAddress !== undefined && { localAddress: client.remoteAddress }),
    });
    begun.node = node;
    node.on('connect', () => {
      const { waiting = [] } = begun;
      begun.waiting = undefined;
      for (const bytes of waiting) send(bytes, node, client);
      if (isClientEnded && held.length === 0) node.end();
    });
    node.on('data', (bytes: Buffer) => passResponse(begun, bytes));
    node.on('end', () => {
      if (begun === exchange) client.end();
    });
    node.on('error', () => {
      if (begun !== exchange) return;
      if (begun.waiting !== undefined && attempts > 1) reach(begun, attempts - 1);
      else client.resetAndDestroy();
    });
  }

  function passResponse(begun: Exchange, bytes: Buffer): void {
    if (begun !== exchange) return;
    send(bytes, client, begun.node);
    begun.response.take(bytes);
    if (hasResponded()) passHeld();
  }

  function hasResponded(): boolean {
    return exchange.request.message.isOver && exchange.response.isOver;
  }

  function passHeld(): void {
    const bytes = held;
    held = [];
    for (const part of bytes) passRequest(part);
    if (held.length > 0) return;
    client.resume();
    if (isClientEnded && exchange.waiting === undefined) exchange.node.end();
  }

  function passRequest(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (held.length > 0) {
      held.push(bytes);
      return;
    }
    if (hasResponded()) {
      exchange.node.destroy();
      exchange = begin();
    }
    const { message } = exchange.request;
    if (message.isOver && !exchange.response.isEndless) {
      held.push(bytes);
      client.pause();
      return;
    }
    const count = message.isOver ? bytes.length : message.take(bytes);
    const own = bytes.subarray(0, count);
    if (exchange.waiting === undefined) send(own, exchange.node, client);
    else exchange.waiting.push(own);
    passRequest(bytes.subarray(count));
  }

  client.on('data', passRequest);
  client.on('end', () => {
    isClientEnded = true;
    if (held.length === 0 && exchange.waiting === undefined) exchange.node.end();
  });
  client.on('error', () => exchange.node.resetAndDestroy());
  client.on('close', () => exchange.node.destroy());
}

/** At the pace of the receiver. */
function send(bytes: Buffer, to: Socket, from: Socket): void {
  if (to.destroyed || to.writableEnded || to.write(bytes)) return;
  from.pause();
  to.once('drain', () => from.resume());
}
