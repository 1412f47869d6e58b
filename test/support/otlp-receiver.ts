import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lifetime } from './lifetime.ts';

/* A receiver of traces: OTLP over HTTP with Protobuf (https://opentelemetry.io/docs/specs/otlp/). */

export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  attributes: Readonly<Record<string, string>>;
  /** 2 for an error. */
  status: number;
}

export interface OtlpReceiver {
  origin: string;
  spans: ReceivedSpan[];
  requests: { path: string; headers: IncomingHttpHeaders }[];
}

export async function startOtlpReceiver(t: Lifetime): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: OtlpReceiver['requests'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers });
      spans.push(...spansIn(Buffer.concat(chunks)));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, requests };
}

/** The fields of opentelemetry/proto/trace/v1/trace.proto. */
function spansIn(message: Buffer): readonly ReceivedSpan[] {
  return messagesAt(message, 1).flatMap((ofResource) => {
    const service = attributesOf(messagesAt(ofResource, 1)[0], 1)['service.name'] ?? '';
    return messagesAt(ofResource, 2).flatMap((ofScope) =>
      messagesAt(ofScope, 2).map((span) => ({
        service,
        traceId: messagesAt(span, 1)[0]?.toString('hex') ?? '',
        spanId: messagesAt(span, 2)[0]?.toString('hex') ?? '',
        parentSpanId: messagesAt(span, 4)[0]?.toString('hex') ?? '',
        name: messagesAt(span, 5)[0]?.toString() ?? '',
        attributes: attributesOf(span, 9),
        status: Number(numberAt(messagesAt(span, 15)[0], 3)),
      })),
    );
  });
}

function attributesOf(message: Buffer | undefined, field: number): Readonly<Record<string, string>> {
  return Object.fromEntries(
    messagesAt(message, field).map((pair) => {
      const [value] = messagesAt(pair, 2);
      const text = messagesAt(value, 1)[0]?.toString() ?? String(numberAt(value, 3));
      return [messagesAt(pair, 1)[0]?.toString() ?? '', text];
    }),
  );
}

/** The values with a length: messages, texts and bytes. */
function messagesAt(message: Buffer | undefined, field: number): readonly Buffer[] {
  return fieldsOf(message).flatMap(([number, value]) => (number === field && typeof value === 'object' ? [value] : []));
}

function numberAt(message: Buffer | undefined, field: number): bigint {
  const found = fieldsOf(message).find(([number, value]) => number === field && typeof value === 'bigint');
  return (found?.[1] as bigint | undefined) ?? 0n;
}

/** The wire format: https://protobuf.dev/programming-guides/encoding/ */
function fieldsOf(message: Buffer = Buffer.alloc(0)): readonly (readonly [number, Buffer | bigint])[] {
  const fields: [number, Buffer | bigint][] = [];
  let offset = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(offset++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const bytes = (length: number) => message.subarray(offset, (offset += length));
  while (offset < message.length) {
    const tag = Number(varint());
    const type = tag & 7;
    if (type === 0) fields.push([tag >> 3, varint()]);
    else fields.push([tag >> 3, bytes(type === 1 ? 8 : type === 5 ? 4 : Number(varint()))]);
  }
  return fields;
}
