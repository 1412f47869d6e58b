import { dayText, paragraph, plain, timeText, type Block, type MessageParts } from '../../../domain/mail/message.ts';
import type { MailReader } from '../../../domain/mail/ports.ts';
import type { ConfirmationContent, MatchesContent, SearchMailContent } from '../domain/search-mail.ts';
import { ENGLISH, GERMAN, type SearchTexts } from './search-texts.ts';

interface Reader extends MailReader {
  texts: SearchTexts;
}

/** Writes a message about a saved search. */
export function searchMessage(content: SearchMailContent, to: MailReader): MessageParts {
  const reader = { ...to, texts: to.language === 'de' ? GERMAN : ENGLISH };
  return content.kind === 'confirmation' ? confirmationParts(content, reader) : matchParts(content, reader);
}

function confirmationParts({ link, expiresAtMs }: ConfirmationContent, { locale, texts, site }: Reader) {
  const { subject, before, action, after } = texts.confirmation;
  const blocks: Block[] = [
    paragraph(before(site)),
    { kind: 'link', label: action, url: link },
    ...after(timeText(expiresAtMs, locale)).map(paragraph),
  ];
  return { subject: subject(site), blocks };
}

function matchParts({ pets, more, link, results, expiresAtMs }: MatchesContent, { locale, texts, site }: Reader) {
  const { matches, species } = texts;
  const items = pets.map((pet) => ({
    text: [
      plain(pet.name) || pet.url,
      ...(pet.species === undefined ? [] : [species[pet.species] ?? pet.species]),
    ].join(', '),
    url: pet.url,
  }));
  const blocks: Block[] = [
    paragraph(matches.before(pets.length)),
    { kind: 'list', items },
    ...(more > 0 ? [paragraph(matches.more(more))] : []),
    { kind: 'link', label: matches.results, url: results },
    paragraph(matches.ends(dayText(expiresAtMs, locale))),
    { kind: 'list', items: [{ text: matches.manage, url: link }] },
  ];
  return { subject: matches.subject(site, pets.length + more), blocks };
}
