import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NEW_PET } from '../tools/sample-pets.ts';

/*
 * The baseline of node:http: responds to a GET with a fixed body, and a POST with its JSON, parsed and serialized. No
 * validation, no storage, no routes.
 * Usage: node bare-server.ts BODY_BYTES
 */

const start = `{"id":123456,${NEW_PET.slice(1, -1)},"note":"`;
const body = `${start}${'x'.repeat(Math.max(0, Number(process.argv[2]) - Buffer.byteLength(start) - 2))}"}`;
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(200, headers);
    response.end(body);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
});

server.listen(0, '127.0.0.1', () => {
  console.log(`The bare server is at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
