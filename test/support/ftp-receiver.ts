import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Lifetime } from './lifetime.ts';

/* A server for uploads over FTP (RFC 959, with passive connections as in RFC 2428), which keeps files in memory. */

/** Returns a reply to a command that replaces the usual one; undefined for the usual one. */
type OtherReply = (line: string) => Promise<string | undefined> | string | undefined;

export interface FtpReceiver {
  /** With a name and a password. */
  url: string;
  files: Map<string, string>;
  /** The commands, in their order. */
  commands: readonly string[];
}

const REPLIES: Readonly<Record<string, string>> = {
  USER: '331 Password, please',
  PASS: '230 Logged in',
  TYPE: '200 Binary',
  STRU: '200 File',
  RNFR: '350 New name, please',
  QUIT: '221 Goodbye',
};

export async function startFtpReceiver(t: Lifetime, otherReply: OtherReply = () => undefined): Promise<FtpReceiver> {
  const commands: string[] = [];
  const files = new Map<string, string>();
  const sockets = new Set<Socket>();
  const server = await listen(createServer((socket) => serve(socket)));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  function serve(control: Socket): void {
    sockets.add(control);
    let [data, renamed] = [Promise.resolve(''), ''];
    const answer = async (line: string): Promise<string> => {
      commands.push(line);
      const other = await otherReply(line);
      if (other !== undefined) return other;
      const [command = '', name = ''] = line.split(' ');
      if (command === 'EPSV') {
        const receiver = await listen(createServer());
        data = once(receiver, 'connection').then(async ([socket]) => {
          receiver.close();
          return textOf(socket as Socket);
        });
        return `229 Passive (|||${portOf(receiver)}|)`;
      }
      if (command === 'STOR') {
        control.write('150 Send it\r\n');
        files.set(name, await data);
        return '226 Stored';
      }
      if (command === 'RNFR') renamed = name;
      if (command === 'RNTO') {
        files.set(name, files.get(renamed) ?? '');
        files.delete(renamed);
        return '250 Renamed';
      }
      if (command === 'DELE') return files.delete(name) ? '250 Deleted' : '550 No such file';
      return REPLIES[command] ?? '502 Not supported';
    };
    let answered = Promise.resolve();
    control.on('error', () => {});
    control.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\r\n').slice(0, -1))
        answered = answered.then(async () => void control.write(`${await answer(line)}\r\n`));
    });
    control.write('220 Ready\r\n');
  }

  return { url: `ftp://shelter:secret@127.0.0.1:${portOf(server)}`, files, commands };
}

async function listen(server: Server): Promise<Server> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function textOf(socket: Socket): Promise<string> {
  const chunks = await Array.fromAsync(socket as AsyncIterable<Buffer>);
  return Buffer.concat(chunks).toString();
}
