import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { test, type TestContext } from 'node:test';
import { readUploadUrl } from '../../src/features/listings/uploads/upload-url.ts';
import { uploadFiles } from '../../src/features/listings/uploads/uploader.ts';

/* A hostile FTP server, which names an address for the data that is not its own: of another machine of the network. */

/** Its responses by command; 500 to others, such as EPSV. */
const RESPONSES: Readonly<Record<string, string>> = {
  USER: '331 Password, please',
  PASS: '230 Welcome',
  TYPE: '200 OK',
  FEAT: '502 No',
};

async function listen(t: TestContext, server: Server, host: string): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** @param address what PASV responds, with commas. Returns the port, and the commands that it got. */
async function startHostileServer(t: TestContext, address: string) {
  const commands: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.setEncoding('utf8').write('220 Hello\r\n');
    socket.on('data', (text) => {
      for (const line of String(text).split('\r\n').filter(Boolean)) {
        const [command = ''] = line.split(' ');
        commands.push(command);
        const response = command === 'PASV' ? `227 Entering Passive Mode (${address})` : RESPONSES[command];
        socket.write(`${response ?? '500 Unknown'}\r\n`);
      }
    });
  });
  return { port: await listen(t, server, '127.0.0.1'), commands };
}

const send = (port: number) => {
  const target = readUploadUrl(`ftp://shelter:secret@127.0.0.1:${port}/`);
  assert.ok(typeof target === 'object');
  const options = { timeoutMs: 10_000, signal: new AbortController().signal };
  return uploadFiles(target, [{ name: 'pets.csv', text: 'secret' }], options);
};

for (const address of ['192,0,2,1', '10,0,0,5', '169,254,169,254', '0,0,0,0'])
  void test(`upload over FTP: an address for data other than that of the server is refused: ${address}`, async (t) => {
    const { port, commands } = await startHostileServer(t, `${address},0,80`);
    await assert.rejects(send(port), /names another address than its own/);
    assert.ok(!commands.includes('STOR'));
  });

void test('upload over FTP: no other service of the machine gets the data', async (t) => {
  let connections = 0;
  const other = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  const otherPort = await listen(t, other, '127.0.0.2');
  const { port, commands } = await startHostileServer(t, `127,0,0,2,${otherPort >> 8},${otherPort & 255}`);
  await assert.rejects(send(port));
  assert.ok(commands.includes('PASV') && !commands.includes('STOR'));
  assert.equal(connections, 0);
});
