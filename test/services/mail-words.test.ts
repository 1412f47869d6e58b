import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAIL_KINDS, type MailKind } from '../../src/domain/mail/mail.ts';
import type { FeatureMessage, MailContent } from '../../src/domain/mail/ports.ts';
import { enquiryMessage } from '../../src/features/enquiries/mail/enquiry-messages.ts';
import { unreachedParts } from '../../src/features/listings/mail/unreached-message.ts';
import type { SearchMailContent } from '../../src/features/saved-searches/domain/search-mail.ts';
import { searchMessage } from '../../src/features/saved-searches/mail/search-messages.ts';
import { messageOf } from '../../src/services/mail/message.ts';
import { htmlOf, textOf } from '../../src/services/mail/render.ts';

/* The sentences of all messages, in both languages. `mail.test.ts` sends some of them. */

const SITE = 'Tierheim Sonnenhof e. V.';
const LINK = 'https://pets.example.org/reset-password#token';
const EXPIRES_MS = Date.UTC(2026, 10, 27, 9, 30);
const ENQUIRY = { id: 1n, petName: 'Mr. T.', message: 'Wait...', answer: 'Come on Sunday...' };
const PET = { name: 'Luna', species: 'cat', url: 'https://pets.example.org/pets/1' };

function contentOf(kind: MailContent['kind'], language: string, pets = [PET], replyTo?: string): MailContent {
  return {
    kind,
    language,
    siteName: SITE,
    siteUrl: 'https://pets.example.org',
    accounts: [{ username: 'ada', link: LINK }],
    expiresAtMs: EXPIRES_MS,
    alert: 'new-device',
    ofFeature: ofFeature(kind, pets, replyTo),
    details: {},
  };
}

function ofFeature(kind: MailKind, pets: readonly (typeof PET)[], replyTo?: string): FeatureMessage {
  const siteUrl = 'https://pets.example.org';
  if (kind.startsWith('enquiry')) return enquiryMessage(kind, { replyTo, facts: ENQUIRY }, siteUrl);
  if (kind === 'listing-unreached')
    return { partsFor: (reader) => unreachedParts({ site: 'open', error: 'Not found...' }, siteUrl, reader) };
  return { partsFor: (reader) => searchMessage(searchContentOf(kind, pets), reader) };
}

function searchContentOf(kind: string, pets: readonly (typeof PET)[]): SearchMailContent {
  const links = { link: LINK, expiresAtMs: EXPIRES_MS };
  if (kind === 'search-confirmation') return { kind: 'confirmation', ...links };
  return { kind: 'matches', ...links, oneClick: LINK, results: LINK, pets, more: pets.length };
}

const LANGUAGES = ['en', 'de'];

for (const language of LANGUAGES)
  for (const kind of Object.keys(MAIL_KINDS) as MailKind[])
    void test(`${kind} in ${language}: sentences after names with a stop end with one, and the word is e-mail`, () => {
      const message = messageOf({ content: contentOf(kind, language) });
      assert.match(message.footer, /e\. V\./);
      for (const text of [textOf(message), htmlOf(message)]) {
        assert.doesNotMatch(text, /[^.]\.\.(?!\.)/);
        assert.doesNotMatch(text, /\bemails?\b/i);
      }
    });

void test('answer to an enquiry: is not called automatic, and says where a reply goes if it does', () => {
  for (const [language, reply] of [
    ['en', 'A reply to this message goes to the shelter.'],
    ['de', 'Eine Antwort auf diese Nachricht geht an das Tierheim.'],
  ] as const) {
    const footers = [undefined, 'shelter@example.org'].map(
      (replyTo) => messageOf({ content: contentOf('enquiry-answer', language, [PET], replyTo) }).footer,
    );
    assert.deepEqual(
      footers.map((footer) => footer.endsWith(reply)),
      [false, true],
    );
    for (const footer of footers) assert.doesNotMatch(footer, /automati/);
  }
});

void test('matches of a search: one is in the singular', () => {
  const sentences = LANGUAGES.map((language) =>
    [[PET], [PET, PET]].map((pets) => textOf(messageOf({ content: contentOf('search-matches', language, pets) }))),
  );
  const [[one = '', two = ''] = [], [eins = '', zwei = ''] = []] = sentences;
  assert.match(one, /This pet matches your search(?:.|\n)+One more matches/);
  assert.match(two, /These pets match your search(?:.|\n)+2 more match /);
  assert.match(eins, /Dieses Tier passt(?:.|\n)+Ein weiteres passt/);
  assert.match(zwei, /Diese Tiere passen(?:.|\n)+2 weitere passen/);
});

void test('times: are in the time zone of the service, with its name', (t) => {
  const { TZ: before } = process.env;
  t.after(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });
  assert.match(textIn('UTC', 'en'), /until 27 November 2026 at 09:30 UTC\./);
  assert.match(textIn('Europe/Berlin', 'en'), /until 27 November 2026 at 10:30 CET\./);
  assert.match(textIn('Europe/Berlin', 'de'), /bis 27\. November 2026 um 10:30 MEZ\./);
});

void test('times: are written as in the country of the organisation', () => {
  assert.match(textFor('invitation', 'US'), /until November 27, 2026 at \d/);
  assert.match(textFor('search-matches', 'US'), /November 27, 2026/);
  for (const country of ['GB', 'DE', 'MX'])
    assert.match(textFor('invitation', country), /until 27 November 2026 at \d/);
  assert.match(textFor('invitation', 'US', 'de'), /bis 27\. November 2026 um \d/);
});

function textFor(kind: MailContent['kind'], country: string, language = 'en'): string {
  return textOf(messageOf({ content: { ...contentOf(kind, language), country } }));
}

function textIn(zone: string, language: string): string {
  process.env['TZ'] = zone;
  return textOf(messageOf({ content: contentOf('invitation', language) }));
}
