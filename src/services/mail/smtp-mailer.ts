import { connect, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { domainToASCII } from 'node:url';
import { createTransport } from 'nodemailer';
import { isMailAddress } from '../../domain/mail/mail-address.ts';
import type { Mailer, MailOutcome, OutgoingMail } from '../../domain/mail/ports.ts';
import { AddressRefused, isPublic, publicLookup, resolveBySystem } from '../networks/addresses.ts';
import { messageOf } from './message.ts';
import { isRefusedForGood, type SmtpAnswer } from './refusals.ts';
import { htmlOf, textOf } from './render.ts';
import type { SmtpSettings } from './smtp-url.ts';

interface SmtpMailerSettings {
  smtp: SmtpSettings;
  /** The address of the sender. */
  from: string;
  /** The public URL of the service, whose host introduces it to the server. */
  publicUrl: string;
  /** The timeout of an attempt as a whole. */
  timeoutMs: number;
}

const MAX_ANSWER_LENGTH = 200;

/** A token of a link: a server may quote the message that it refuses. */
const TOKEN = /[\w-]{43}/g;

/** Sends messages over SMTP, each over its own connection. */
export class SmtpMailer implements Mailer {
  readonly #settings: SmtpMailerSettings;

  constructor(settings: SmtpMailerSettings) {
    this.#settings = settings;
  }

  async send({ id, recipient, replyTo, atMs, content }: OutgoingMail, signal: AbortSignal): Promise<MailOutcome> {
    if (!isMailAddress(recipient) || (replyTo !== undefined && !isMailAddress(replyTo)))
      return { kind: 'refused', answer: 'The address is invalid.' };
    const { from, timeoutMs } = this.#settings;
    const timeout = AbortSignal.timeout(timeoutMs);
    const message = messageOf({ content });
    const transport = this.#openTransport(AbortSignal.any([signal, timeout]));
    try {
      const { response } = await transport.sendMail({
        // No address is parsed: each is one that was checked.
        envelope: { from, to: [recipient] },
        from: { name: content.siteName, address: from },
        to: { name: '', address: recipient },
        ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
        subject: message.subject,
        text: textOf(message),
        html: htmlOf(message),
        date: new Date(atMs),
        messageId: `<${id}@${domainOf(from)}>`,
        headers: {
          ...automationHeaders(content),
          ...unsubscribeHeaders(content),
        },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return { kind: 'sent', answer: this.#withoutSecrets(response) };
    } catch (error) {
      if (timeout.aborted) return { kind: 'failed', answer: `No answer within ${timeoutMs / 1000} seconds.` };
      return this.#outcomeOf(error);
    } finally {
      transport.close();
    }
  }

  #openTransport(signal: AbortSignal) {
    const { host, port, security, auth, isPublicOnly = false } = this.#settings.smtp;
    const name = clientName(this.#settings);
    return createTransport({
      ...(name !== undefined && { name }),
      host,
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      ...(auth !== undefined && { auth, forceAuth: true }),
      // A connection of our own ends with the signal, whatever the server does.
      getSocket: (_options, callback) => {
        openSocket({ host, port, signal, ...(isPublicOnly && { lookup: publicLookup(resolveBySystem) }) }).then(
          (connection) => callback(null, { connection }),
          (error: Error) => callback(error),
        );
      },
    });
  }

  #outcomeOf(error: unknown): MailOutcome {
    const { message, response, responseCode, command } = error as Error & Partial<SmtpError>;
    const text = typeof response === 'string' ? response : message;
    const isRefused = isRefusedForGood({ status: Number(responseCode), text, command });
    return { kind: isRefused ? 'refused' : 'failed', answer: this.#withoutSecrets(text) };
  }

  #withoutSecrets(answer: string): string {
    const { auth } = this.#settings.smtp;
    const plain = auth === undefined ? answer : answer.replaceAll(auth.pass, '***');
    return plain
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
      .replaceAll(TOKEN, '***')
      .slice(0, MAX_ANSWER_LENGTH);
  }
}

/** Whether a program has written the message (RFC 3834, section 5). */
function automationHeaders({ ofFeature }: OutgoingMail['content']): Record<string, string> {
  const { autoSubmitted } = { autoSubmitted: 'auto-generated', ...ofFeature };
  return autoSubmitted === undefined ? {} : { 'Auto-Submitted': autoSubmitted };
}

/** The headers with which mail programs end messages with one click (RFC 8058). */
function unsubscribeHeaders({ ofFeature }: OutgoingMail['content']): Record<string, string> {
  if (ofFeature?.oneClick === undefined) return {};
  return { 'List-Unsubscribe': `<${ofFeature.oneClick}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

interface SmtpError extends Pick<SmtpAnswer, 'command'> {
  response: unknown;
  responseCode: unknown;
}

/**
 * The name in EHLO. Strict servers refuse one that is not fully qualified.
 * @returns undefined for the name of this machine, or an address literal if it is not qualified either
 */
function clientName({ publicUrl, from }: SmtpMailerSettings): string | undefined {
  const hosts = [URL.parse(publicUrl)?.hostname ?? '', domainOf(from)];
  return hosts.find((host) => host.includes('.') && isIP(host) === 0);
}

/** In ASCII, as headers and commands require (RFC 5890). */
function domainOf(address: string): string {
  const domain = address.slice(address.indexOf('@') + 1);
  return domainToASCII(domain) || domain;
}

function openSocket(options: TcpNetConnectOpts & { host: string }): Promise<Socket> {
  // The lookup is not called for an address.
  if (options.lookup !== undefined && isIP(options.host) !== 0 && !isPublic(options.host))
    return Promise.reject(new AddressRefused());
  return new Promise((resolve, reject) => {
    const socket = connect(options);
    // Also of a connection that is aborted after its end.
    socket.on('error', reject);
    socket.once('connect', () => resolve(socket));
  });
}
