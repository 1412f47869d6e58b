/*
 * Which answers of a server concern one message for good. All others may come from settings, limits or rules of the
 * server, which somebody can change: those messages are tried again.
 */

export interface SmtpAnswer {
  status: number;
  /** All lines of the answer. */
  text: string;
  /** The command that was refused. */
  command: unknown;
}

const FIRST_PERMANENT_STATUS = 500;

/** Commands whose refusal may concern this message only. */
const OF_MESSAGE: ReadonlySet<unknown> = new Set(['RCPT TO', 'DATA']);

/**
 * The enhanced status code (RFC 3463), of which some servers write `#` before it. The first digit is that of the
 * status, unless the failure is a temporary one.
 */
const ENHANCED = /^5\d\d[ -]#?([45])\.(\d{1,3})\.(\d{1,3})\b/;

/** Subjects of enhanced codes: addresses, mailboxes, contents. Others are systems, networks, commands and rules. */
const OF_RECIPIENT_OR_CONTENT: ReadonlySet<number> = new Set([1, 2, 6]);
/** Details of the subject `addresses` that are about the sender, which is `--mail-from`. */
const OF_SENDER: ReadonlySet<number> = new Set([7, 8]);
const ADDRESSES = 1;
const UNDEFINED = 0;

/**
 * Without an enhanced code: RFC 5321 and RFC 7504 give these statuses to mailboxes and addresses. 550 can also be a
 * rule, but it is what nearly every server says of an unknown mailbox. 554 can be anything.
 */
const OF_MAILBOX: ReadonlySet<number> = new Set([550, 551, 552, 553, 556]);

export function isRefusedForGood({ status, text, command }: SmtpAnswer): boolean {
  if (!(status >= FIRST_PERMANENT_STATUS) || !OF_MESSAGE.has(command)) return false;
  const [, kind, subject, detail] = ENHANCED.exec(text) ?? [];
  if (kind === '4') return false;
  const number = Number(subject ?? UNDEFINED);
  if (number === UNDEFINED) return OF_MAILBOX.has(status);
  return OF_RECIPIENT_OR_CONTENT.has(number) && !(number === ADDRESSES && OF_SENDER.has(Number(detail)));
}
