import { createFormToken } from '../../src/features/enquiries/domain/form-token.ts';
import { signer, tokens } from '../../src/services/crypto/secrets.ts';
import type { ReceivedMail, SmtpReceiver } from '../support/smtp-receiver.ts';
import { until } from '../support/until.ts';
import type { Answer } from './model.ts';
import type { Current } from './records.ts';
import { WORDS, type EnquiryCall, type SentEnquiryCall } from './steps.ts';
import { differs } from './way.ts';

/* Enquiries of visitors about pets: only staff reads them, and each person can be erased. */

export const OFFICE = 'office@example.org';

/** Of two persons, in spellings that are one mailbox. */
export const PERSONS = ['zqzqada@bücher.example', 'zqzqbob@bücher.example'].map((email) => [
  email,
  email.toUpperCase(),
  email.normalize('NFD'),
  email.replace('bücher', 'xn--bcher-kva'),
]);

const IN_A_DAY = 5;

interface Stored {
  petId: string;
  petName: string | undefined;
  person: number;
  /** A word that no other enquiry has. */
  text: string;
  state: 'new' | 'answered';
  entries: readonly string[];
}

interface Mailed {
  to: 'the shelter' | 'a person';
  /** Of the enquiry or the answer; of neither in the confirmation that it has arrived. */
  word: string;
  /** Deleted since, perhaps before it was sent. */
  isOpen: boolean;
  about: string;
}

export class Enquiries {
  #all: readonly Stored[] = [];
  #mailed: readonly Mailed[] = [];
  /** How often each person has written, erased or not. */
  #counts: readonly number[] = PERSONS.map(() => 0);

  clone(): Enquiries {
    const copy = new Enquiries();
    [copy.#all, copy.#mailed, copy.#counts] = [this.#all, this.#mailed, this.#counts];
    return copy;
  }

  text(): readonly unknown[] {
    return [this.#all, this.#mailed, this.#counts];
  }

  get mailed(): readonly Mailed[] {
    return this.#mailed;
  }

  get texts(): readonly string[] {
    return this.#all.map(({ text }) => text);
  }

  /**
   * @param refused for missing permission of staff
   * @param pet that everyone sees
   */
  take(call: SentEnquiryCall, answer: Answer, refused: number | undefined, pet: Current | undefined) {
    if (call.kind === 'sendEnquiry') return expect(answer, this.#send(call, pet));
    if (refused !== undefined) return expect(answer, refused);
    if (call.kind === 'listEnquiries') return differs('the enquiries', linesIn(answer), this.#lines());
    if (call.kind === 'eraseEnquiries') {
      const erased = this.#all.filter(({ person }) => person === call.person);
      this.#remove(erased);
      return answer.status === 0 ? undefined : differs('the erasure', answer.text, `{"erased":${erased.length}}`);
    }
    const enquiry = this.#all.find(({ text }) => text === call.target.text);
    if (enquiry === undefined) return expect(answer, 404);
    // Answers have limits of their own.
    if (call.kind === 'answerEnquiry' && answer.status === 429) return undefined;
    if (call.kind === 'deleteEnquiry') this.#remove([enquiry]);
    else this.#add(enquiry, call);
    return expect(answer, 200);
  }

  #send({ id, person, text }: EnquiryCall, pet: Current | undefined): number {
    if (pet === undefined) return 404;
    if (pet.fields.status === 'sold') return 409;
    const count = this.#counts[person] ?? 0;
    if (count >= IN_A_DAY) return 429;
    this.#counts = this.#counts.with(person, count + 1);
    this.#all = [...this.#all, { petId: id, petName: pet.fields.name, person, text, state: 'new', entries: [] }];
    this.#mail({ to: 'the shelter', word: text, about: text });
    // One in some hours.
    if (count === 0) this.#mail({ to: 'a person', word: '', about: text });
    return 200;
  }

  #add(enquiry: Stored, { kind, text }: EnquiryCall): void {
    const isAnswer = kind === 'answerEnquiry';
    const next = { ...enquiry, entries: [...enquiry.entries, text], ...(isAnswer && { state: 'answered' as const }) };
    this.#all = this.#all.map((one) => (one === enquiry ? next : one));
    if (isAnswer) this.#mail({ to: 'a person', word: text, about: enquiry.text });
  }

  #mail(mail: Omit<Mailed, 'isOpen'>): void {
    this.#mailed = [...this.#mailed, { ...mail, isOpen: false }];
  }

  #remove(removed: readonly Stored[]): void {
    this.#all = this.#all.filter((one) => !removed.includes(one));
    const isGone = ({ about }: Mailed) => removed.some(({ text }) => text === about);
    this.#mailed = this.#mailed.map((one) => (isGone(one) ? { ...one, isOpen: true } : one));
  }

  #lines(): readonly string[] {
    return this.#all.toReversed().map(({ petId, petName, text, state }) => [petId, petName, text, state].join(' '));
  }
}

function expect({ status }: Answer, expected: number): string | undefined {
  return status === expected ? undefined : `expected ${expected}`;
}

const LISTED = /"petId":(\d+),"petName":"([^"]*)","state":"(\w+)".*?"message":"([^"]*)"/g;

function linesIn({ text = '' }: Answer): readonly string[] {
  return [...text.matchAll(LISTED)].map(([, id, name, state, message]) => [id, name, message, state].join(' '));
}

/** The IDs of enquiries by their texts, as staff reads them. */
export function targetsIn(list: string): readonly { id: string; text: string }[] {
  return [...list.matchAll(/\{"id":(\d+),"petId".*?"message":"([^"]*)"/g)].map(([, id = '', text = '']) => ({
    id,
    text,
  }));
}

/** The body of a request. @param formKey signs the tokens of forms */
export function enquiryBody({ kind, id, person, spelling, text }: EnquiryCall, formKey: string): object | undefined {
  const email = PERSONS[person]?.[spelling];
  if (kind === 'eraseEnquiries') return { email };
  if (kind === 'answerEnquiry' || kind === 'addEnquiryNote') return { text };
  if (kind !== 'sendEnquiry') return undefined;
  const token = createFormToken(signer, formKey, BigInt(id), tokens.createId(), Date.now() - 10_000);
  return { name: 'Zqzqada', email, message: text, language: 'en', token };
}

/** The messages about enquiries, each once. A person gets no text of an enquiry, which somebody else may have written. */
export async function checkEnquiryMail({ mailed }: Enquiries, mail: SmtpReceiver): Promise<string | undefined> {
  const found = () => mail.received.filter(isAboutEnquiry).map(lineOf);
  const must = mailed.filter(({ isOpen }) => !isOpen).map(({ to, word }) => `${to} ${word}`);
  await until('the messages about enquiries', async () => must.every((line) => found().includes(line))).catch(() => {});
  const may = new Set(mailed.map(({ to, word }) => `${to} ${word}`));
  return (
    differs(
      'the messages about enquiries that are missing',
      must.filter((line) => !found().includes(line)),
      [],
    ) ??
    differs(
      'other messages about enquiries',
      [...new Set(found())].filter((line) => !may.has(line)),
      [],
    )
  );
}

export function isAboutEnquiry({ recipients: [to = ''] }: ReceivedMail): boolean {
  return to === OFFICE || /zqzq(?:ada|bob)@/i.test(to);
}

/** With the words of enquiries and answers that it has. */
function lineOf({ recipients: [to], text = '' }: ReceivedMail): string {
  const words = (text.match(WORDS) ?? []).filter((word) => word.endsWith('xasked'));
  return `${to === OFFICE ? 'the shelter' : 'a person'} ${words.join(' ')}`;
}

export const ENQUIRER = /zqzqada|zqzqbob/i;
