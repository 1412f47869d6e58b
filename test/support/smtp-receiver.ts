import { EventEmitter, once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { inTime } from './deadline.ts';
import type { Lifetime } from './lifetime.ts';

/** What the server does with a message. */
type Behaviour =
  | 'accept'
  /** Refuses the recipient with this status. */
  | number
  /** Refuses the content, or the command of the recipient or the sender, with this status and text. */
  | { status: number; text: string; at?: 'sender' | 'recipient' }
  /** Accepts the content when the test releases it: a slow server. */
  | 'hold'
  /** Never answers to the content. */
  | 'hang'
  /** Closes the connection before the answer. */
  | 'drop';

export interface ReceivedMail extends Email {
  /** The recipients of the envelope. */
  recipients: readonly string[];
  /** The name with which the client has introduced itself. */
  clientName: string;
  raw: string;
}

export interface SmtpReceiver {
  url: string;
  port: number;
  /** In the order of their arrival. */
  received: ReceivedMail[];
  behave: (behaviour: Behaviour) => void;
  /** Accepts the message that is held the longest, when there is one. */
  release: () => Promise<void>;
  /** Waits until this many messages were accepted. */
  waitFor: (count: number) => Promise<readonly ReceivedMail[]>;
  /** Waits until the content of this many messages has arrived, accepted or not. */
  waitForAttempts: (count: number) => Promise<void>;
  stop: () => Promise<void>;
}

/** A real SMTP server on loopback, which keeps what it accepts. */
export async function startSmtpReceiver(t: Lifetime, options: SMTPServerOptions = {}): Promise<SmtpReceiver> {
  const received: ReceivedMail[] = [];
  const arrivals = new EventEmitter();
  let behaviour: Behaviour = 'accept';
  const attempted: string[] = [];
  const held: (() => void)[] = [];
  const refusalAt = (command: 'sender' | 'recipient') =>
    typeof behaviour === 'object' && behaviour.at === command ? refusal(behaviour.status, behaviour.text) : null;
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    logger: false,
    onMailFrom: (_address, _session, callback) => callback(refusalAt('sender')),
    onRcptTo: (_address, _session, callback) =>
      callback(typeof behaviour === 'number' ? refusal(behaviour, 'No such mailbox') : refusalAt('recipient')),
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.once('end', () => {
        attempted.push(session.envelope.rcptTo.map(({ address }) => address).join());
        arrivals.emit('change');
        if (behaviour === 'hang') return;
        if (behaviour === 'drop') return dropConnections();
        if (typeof behaviour === 'object') return callback(refusal(behaviour.status, behaviour.text));
        const raw = Buffer.concat(chunks).toString();
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        const accept = () =>
          void PostalMime.parse(raw).then((email) => {
            received.push({ ...email, recipients, clientName: session.hostNameAppearsAs, raw });
            callback(null, 'Queued');
            arrivals.emit('change');
          });
        if (behaviour !== 'hold') return accept();
        held.push(accept);
        arrivals.emit('change');
      });
    },
    ...options,
  });
  // Of clients that end a connection early.
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  const sockets = new Set<Socket>();
  listening.on('connection', (socket: Socket) => sockets.add(socket));
  const dropConnections = () => sockets.forEach((socket) => socket.destroy());
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const stop = async () => {
    dropConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  t.after(stop);
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received,
    behave: (next) => {
      behaviour = next;
    },
    release: async () => {
      while (held.length === 0) await inTime('a message that is held', once(arrivals, 'change'));
      held.shift()?.();
    },
    waitFor: async (count) => {
      while (received.length < count) await inTime(`${count} messages`, once(arrivals, 'change'));
      return received;
    },
    waitForAttempts: async (count) => {
      while (attempted.length < count) await inTime(`${count} attempts`, once(arrivals, 'change'));
    },
    stop,
  };
}

function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
