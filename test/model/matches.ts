import type { Call as Send, HttpResponse } from '../support/client.ts';
import type { ReceivedMail, SmtpReceiver } from '../support/smtp-receiver.ts';
import type { StoredTables } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { isToUser, leftOfUsers } from './accounts.ts';
import { ENQUIRER, isAboutEnquiry } from './enquiries.ts';
import type { Model } from './model.ts';
import { WORDS } from './steps.ts';
import { hasWord, NAMES_OF, wordsFor, type Visible } from './views.ts';
import { differs } from './way.ts';

/* Saved searches of visitors: after a run, each has at most one message, with the pets that it finds. */

/** A search with a word of the last pet of each run, so that one message is sent for certain. */
const SEARCHES: Readonly<Record<string, (pet: Visible) => boolean>> = {
  'species=dog': ({ profile }) => profile.species === 'dog',
  'tags=zqzqcalm': (pet) => NAMES_OF.tags(pet).includes('zqzqcalm'),
  'text=zqzqx': hasWord('zqzqx'),
  'text=zqzqlast': hasWord('zqzqlast'),
};

/** The address that has saved each search. */
const ADDRESSES = new Map(Object.keys(SEARCHES).map((search, index) => [search, `zqzqreader${index}@bücher.example`]));

/** The same mailboxes. */
const OTHER_SPELLINGS = [...ADDRESSES.values()].map((email) => email.toUpperCase().normalize('NFD'));

export async function saveSearches(call: Send, mail: SmtpReceiver): Promise<void> {
  for (const [search, email] of ADDRESSES) {
    const count = mail.received.length + 1;
    await require200(call, 'saved-searches', { email, search, language: 'en' });
    const token = /#([\w-]{43})/.exec((await mail.waitFor(count)).at(-1)?.text ?? '')?.[1];
    await require200(call, 'saved-searches/confirm', { token });
  }
}

async function require200(call: Send, path: string, json: object): Promise<void> {
  const { status, text } = await call('POST', path, { json });
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
}

/**
 * @param readSystem the state of the service, as administrators read it
 * @param model when no pet has changed for long
 */
export async function checkMatches(
  model: Model,
  mail: SmtpReceiver,
  readSystem: () => Promise<string>,
): Promise<string | undefined> {
  const available = model.visible(false).filter(({ fields }) => fields.status === 'available');
  const expected = Object.entries(SEARCHES)
    .map(([search, finds]) => ({ search, ids: available.filter(finds).map(({ id }) => id) }))
    .filter(({ ids }) => ids.length > 0);
  const received = () => mail.received.filter((one) => !isAboutEnquiry(one) && !isToUser(one));
  await until('the messages', async () => received().length >= expected.length).catch(() => {});
  const isSent = async () => (JSON.parse(await readSystem()) as { mail: { waiting: number } }).mail.waiting === 0;
  await until('an empty queue', isSent);
  const addresses = expected.map(({ search }) => ADDRESSES.get(search) ?? '').toSorted();
  const recipients = received()
    .flatMap((one) => one.recipients)
    .toSorted();
  const wrong = differs('the messages of saved searches', recipients, addresses);
  if (wrong !== undefined) return wrong;
  const { now: known } = wordsFor(model, false, WORDS);
  for (const { search, ids } of expected) {
    const message = mail.received.find((one) => one.recipients[0] === ADDRESSES.get(search));
    const different = differs(`the message for ${search}`, listedIn(message, ids), ids);
    const secret = message?.text
      ?.toLowerCase()
      .match(WORDS)
      ?.find((word) => !known.has(word) && !search.includes(word));
    if (different !== undefined || secret !== undefined) return different ?? `the message for ${search} has ${secret}`;
  }
  return undefined;
}

/** The pets of a message. Of more than it lists, it has the number, so the others are taken for granted. */
function listedIn(message: ReceivedMail | undefined, expected: readonly string[]): readonly string[] {
  const text = message?.text ?? '';
  const listed = [...text.matchAll(/\/pets\/(\d+)/g)].map(([, id = '']) => id);
  const others = expected.filter((id) => !listed.includes(id));
  const more = others.length === 1 ? 'One more matches' : `${others.length} more match`;
  const isCounted = others.length > 0 && text.includes(more);
  return [...listed, ...(isCounted ? others : [])].toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
}

/**
 * Erases everyone who has saved a search, by another spelling of the address. Those with enquiries are erased before.
 *
 * @returns a complaint that names the table in which an address is left
 */
export async function erasePersons(
  erase: (email: string) => Promise<HttpResponse>,
  tables: StoredTables,
): Promise<string | undefined> {
  for (const email of OTHER_SPELLINGS) {
    const wrong = differs(`erasing ${email}`, (await erase(email)).text, '{"erased":1}');
    if (wrong !== undefined) return wrong;
  }
  for (const table of await tables.tables()) {
    const read = await tables.readerOf([table]);
    const rows = await read();
    if (/zqzqreader/i.test(rows) || ENQUIRER.test(rows) || leftOfUsers(table, rows))
      return `the table ${table} has an address or a user that was erased`;
  }
  return undefined;
}
