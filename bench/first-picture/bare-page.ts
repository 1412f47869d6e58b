import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ShownPicture } from './page-load.ts';

/** A page that has one picture and nothing else: the same bytes, as wide on the screen. */
export async function startBarePage(picture: ShownPicture): Promise<{ origin: string; close: () => Promise<void> }> {
  const page = `<!doctype html><meta name="viewport" content="width=device-width"><img src="/picture" alt="" width="${picture.width}">`;
  const server = createServer((request, response) => {
    const isPicture = request.url === '/picture';
    response.writeHead(200, { 'content-type': isPicture ? picture.type : 'text/html' });
    response.end(isPicture ? picture.body : page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
