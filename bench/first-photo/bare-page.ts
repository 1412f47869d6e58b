import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ShownPhoto } from './page-load.ts';

/** A page that contains only this photo, with the same bytes and width. */
export async function startBarePage(photo: ShownPhoto): Promise<{ origin: string; close: () => Promise<void> }> {
  const page = `<!doctype html><meta name="viewport" content="width=device-width"><img src="/photo" alt="" width="${photo.width}">`;
  const server = createServer((request, response) => {
    const isPhoto = request.url === '/photo';
    response.writeHead(200, { 'content-type': isPhoto ? photo.type : 'text/html' });
    response.end(isPhoto ? photo.body : page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
