import { paragraph, plain, timeText, type MessageParts } from '../../../domain/mail/message.ts';
import type { QueuedMail } from '../../../domain/mail/mail.ts';
import type { AddressStore, FeatureMessage, MailReader } from '../../../domain/mail/ports.ts';

interface Texts {
  subject: (site: string) => string;
  text: (site: string) => string;
  /** The server of the open feed. */
  other: string;
  since: string;
  answer: string;
  action: string;
}

const ENGLISH: Texts = {
  subject: (site) => `${site} has not been reached for a day`,
  text: (site) => `All uploads of your pets to ${site} have failed for a day. It may still list adopted pets.`,
  other: 'The server of the open feed',
  since: 'Since',
  answer: 'Error',
  action: 'Check the upload',
};

const GERMAN: Texts = {
  subject: (site) => `${site} ist seit einem Tag nicht erreichbar`,
  text: (site) =>
    `Seit einem Tag konnten Ihre Tiere nicht zu ${site} hochgeladen werden. Dort können noch vermittelte Tiere stehen.`,
  other: 'Der Server des offenen Feeds',
  since: 'Seit',
  answer: 'Fehler',
  action: 'Hochladen prüfen',
};

const SITE_NAMES: ReadonlyMap<string, string> = new Map([
  ['petfinder', 'Petfinder'],
  ['adoptapet', 'Adopt-a-Pet'],
  ['rescuegroups', 'RescueGroups'],
]);

/** The message to an administrator that uploads to a listing site fail. Undefined if the account was deleted. */
export async function unreachedMessage(
  { accountId, details }: QueuedMail,
  addresses: Pick<AddressStore, 'find'>,
  siteUrl: string,
): Promise<FeatureMessage | undefined> {
  const account = accountId === null ? undefined : await addresses.find(accountId);
  if (account === undefined) return undefined;
  const { language = 'en' } = account.confirmed ?? {};
  return { language, partsFor: (reader) => unreachedParts(details, siteUrl, reader) };
}

export function unreachedParts(
  { site: id = '', error = '', atMs = '0' }: QueuedMail['details'],
  siteUrl: string,
  { language, locale }: MailReader,
): MessageParts {
  const texts = language === 'de' ? GERMAN : ENGLISH;
  const site = SITE_NAMES.get(id) ?? texts.other;
  const facts = [
    [texts.since, timeText(Number(atMs), locale)],
    [texts.answer, plain(error)],
  ] as const;
  return {
    subject: texts.subject(site),
    blocks: [
      paragraph(texts.text(site)),
      { kind: 'facts', facts },
      { kind: 'link', label: texts.action, url: `${siteUrl}/admin/listings/${encodeURIComponent(id)}` },
    ],
  };
}
