import { mayEveryone, type Actor, type Permission } from '../../../domain/access.ts';
import { networkOf, wideNetworkOf } from '../../../domain/accounts/attempt-throttle.ts';
import type { MailLimits } from '../../../domain/accounts/mail-limits.ts';
import type { Tokens } from '../../../domain/accounts/ports.ts';
import {
  counterOf,
  findUsedUp,
  limitOf,
  quotaUsedUp,
  type LimitStore,
  type Quota,
} from '../../../domain/accounts/throttle.ts';
import type { EnquiryActivity, EnquiryRefusal } from './enquiry-activity.ts';
import { stampOf } from '../../../domain/audit.ts';
import { Failure, invalidInput, type FailureCode } from '../../../domain/failure.ts';
import { ADDRESS_RULE, isMailAddress, mailboxKey } from '../../../domain/mail/mail-address.ts';
import type { MailBell } from '../../../domain/mail/mail-bell.ts';
import type { SiteRecordStore } from '../../../domain/organisation/ports.ts';
import { isSold, readPetText, type StoredPet } from '../../../domain/pets/pet.ts';
import { petNotFound } from '../../../domain/pets/pet-change.ts';
import type { PetStore } from '../../../domain/pets/ports.ts';
import type { Clock, Signer } from '../../../domain/ports.ts';
import { checkAnswers, type SentAnswers } from './given-answers.ts';
import { createFormToken, MAX_FORM_MS, requireFormToken } from './form-token.ts';
import type { EnquiryText } from './enquiry.ts';
import { settingsIn, type EnquirySettings, type Question } from './enquiry-settings.ts';
import type { EnquiryMessages, EnquiryStore } from './ports.ts';
import { recipientOf } from './recipient.ts';
import { checkVisitDays } from './visit-days.ts';

interface EnquiryReceptionDeps {
  may: Permission;
  enquiries: EnquiryStore;
  siteRecords: Pick<SiteRecordStore, 'find'>;
  pets: Pick<PetStore, 'find'>;
  limits: Pick<LimitStore, 'find'>;
  tokens: Tokens;
  signer: Signer;
  bell: MailBell;
  mailLimits: MailLimits;
  activity: EnquiryActivity;
  clock: Clock;
}

export interface EnquiryForm {
  /** Undefined if the shelter takes no enquiries about the pet, or none for now. */
  token: string | undefined;
  /** If there were too many enquiries: when the client may try again. */
  closedUntilMs: number | undefined;
  expiresAtMs: number | undefined;
  /** Enquiries are deleted after this time, which people must know before they send one. */
  retentionDays: number | undefined;
  questions: readonly Question[];
}

export interface SentEnquiry extends Omit<EnquiryText, 'answers'> {
  answers: SentAnswers;
  /** The days on which the person could visit the pet. */
  visitDays: readonly string[];
  token: string;
  /** Whether the field is filled in that people do not see. */
  isTrap: boolean;
}

const CLOSED: EnquiryForm = {
  token: undefined,
  closedUntilMs: undefined,
  expiresAtMs: undefined,
  retentionDays: undefined,
  questions: [],
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A school or a company may share one address. */
const PER_NETWORK = limitOf(20, DAY_MS);

/**
 * With one address in one network. Otherwise, enquiries with the address of another person would block that person, and
 * show how many the person has sent.
 */
const PER_PERSON = limitOf(5, DAY_MS);

/** An enquiry with the address of another person sends that person at most one message in this time. */
const ACKNOWLEDGEMENTS = limitOf(1, 6 * HOUR_MS);

/** The limit of all clients, so that many addresses fill neither the disk nor the mailbox of the shelter. */
const IN_TOTAL = limitOf(500, DAY_MS);
const NOTICES = limitOf(200, DAY_MS);

const REFUSALS: Readonly<Partial<Record<FailureCode, EnquiryRefusal>>> = {
  'too-many-requests': 'limit',
  conflict: 'form',
};

/** Takes enquiries from everyone. Nothing that it returns shows whether a person has written before. */
export class EnquiryReception {
  readonly #deps: EnquiryReceptionDeps;

  constructor(deps: EnquiryReceptionDeps) {
    this.#deps = deps;
  }

  /** Whether pets have the form. */
  async isOpen(): Promise<boolean> {
    const { settings, formKey } = await this.#settings();
    return settings.enabled && formKey !== undefined;
  }

  /** @throws Failure `not-found`, also for drafts: they have no public page */
  async getForm(actor: Actor, petId: bigint): Promise<EnquiryForm> {
    const { limits, signer, tokens, clock } = this.#deps;
    const pet = await this.#find(petId);
    const { settings, formKey } = await this.#settings();
    if (!settings.enabled || formKey === undefined || isSold(pet.text)) return CLOSED;
    const nowMs = clock();
    const usedUp = await findUsedUp(limits, this.#quotasOfSender(actor), nowMs);
    if (usedUp !== undefined) return { ...CLOSED, closedUntilMs: nowMs + usedUp.waitMs };
    const token = createFormToken(signer, formKey, petId, tokens.createId(), nowMs);
    const { retentionDays, questions } = settings;
    return { ...CLOSED, token, expiresAtMs: nowMs + MAX_FORM_MS, retentionDays, questions };
  }

  /**
   * Stores an enquiry and queues its messages. An enquiry of a program is not stored, which its sender does not notice.
   *
   * @throws Failure `not-found`; `conflict` if the shelter takes no enquiries about the pet, or the form was sent
   *   before; `invalid-input`; `too-many-requests`, also if it was sent too fast
   */
  async send(actor: Actor, petId: bigint, sent: SentEnquiry): Promise<void> {
    const { signer, clock } = this.#deps;
    const pet = await this.#find(petId);
    const { settings, formKey } = await this.#settings();
    if (!settings.enabled || formKey === undefined)
      throw this.#refused('off', new Failure('conflict', 'The shelter takes no enquiries with this form.'));
    if (isSold(pet.text)) throw this.#refused('adopted', new Failure('conflict', 'The pet was adopted.'));
    const formId = this.#counted('form', () => requireFormToken(signer, formKey, petId, sent.token, clock()));
    const text = this.#counted('invalid', () => this.#requireText(sent, settings, clock()));
    if (sent.isTrap) {
      this.#deps.activity.refuse('honey');
      return;
    }
    await this.#add(actor, { ...text, petId, petName: readPetText(pet.text).name, formId }, settings);
    this.#deps.activity.received++;
    this.#deps.bell.ring();
  }

  /** @throws Failure `invalid-input` */
  #requireText(sent: SentEnquiry, settings: EnquirySettings, nowMs: number): EnquiryText {
    const text = requireText(sent, settings, nowMs);
    if (this.#deps.bell.isOn) this.#deps.mailLimits.requireAddress(text.email, '/email');
    return text;
  }

  async #add(
    actor: Actor,
    enquiry: EnquiryText & { petId: bigint; petName: string; formId: string },
    settings: EnquirySettings,
  ): Promise<void> {
    const { enquiries, clock } = this.#deps;
    const quotas = this.#quotasFor(actor, enquiry.email);
    const messages = await this.#messagesFor(enquiry, settings);
    try {
      await this.#requireRoom(quotas);
      await enquiries.apply({ kind: 'add', enquiry, quotas, messages, stamp: stampOf(actor, clock()) });
    } catch (error) {
      if (error instanceof Failure) this.#deps.activity.refuse(REFUSALS[error.code] ?? 'unavailable');
      throw error;
    }
  }

  /** The store checks it again. This one spares it the writes of a client that is refused anyway. */
  async #requireRoom(quotas: readonly Quota[]): Promise<void> {
    const { limits, clock } = this.#deps;
    const usedUp = await findUsedUp(limits, quotas, clock());
    if (usedUp !== undefined) throw quotaUsedUp(usedUp.quota, usedUp.waitMs);
  }

  #quotasFor(actor: Actor, email: string): readonly Quota[] {
    const network = networkOf(addressOf(actor));
    const ofPerson = this.#quota(PER_PERSON, 'enquiries-of-address', 'person', network, mailboxKey(email));
    return [...this.#quotasOfSender(actor), ofPerson];
  }

  /** Excludes the quotas of e-mail addresses, so that everyone may know which of these are used up. */
  #quotasOfSender(actor: Actor): readonly Quota[] {
    const address = addressOf(actor);
    const total = this.#quota(IN_TOTAL, undefined, 'total');
    return [
      this.#quota(PER_NETWORK, 'enquiries', 'network', networkOf(address)),
      { ...this.#quota(IN_TOTAL, 'enquiries', 'network', wideNetworkOf(address)), shareOf: total },
      total,
    ];
  }

  async #messagesFor({ email }: EnquiryText, settings: EnquirySettings): Promise<EnquiryMessages> {
    const { bell, siteRecords } = this.#deps;
    if (!bell.isOn) return {};
    const recipient = recipientOf(settings, await siteRecords.find('organisation'));
    const { language } = settings;
    return {
      ...(recipient !== undefined && {
        notice: { recipient, language, quota: this.#quota(NOTICES, undefined, 'notices') },
      }),
      ...(!this.#mayEveryoneNamePets() && {
        acknowledgement: { quota: this.#quota(ACKNOWLEDGEMENTS, undefined, 'acknowledgements', mailboxKey(email)) },
      }),
    };
  }

  /** The confirmation has the name of the pet, in which anyone could then send text to others. */
  #mayEveryoneNamePets(): boolean {
    return mayEveryone(this.#deps.may, 'write pets');
  }

  /** A digest, because the counts are kept longer than an enquiry that is erased. */
  #quota(limit: Quota['limit'], name: string | undefined, ...parts: readonly string[]): Quota {
    const message = 'Too many enquiries. Try again later, or write to the shelter by e-mail.';
    return { ...counterOf(this.#deps.tokens, limit, 'enquiries', ...parts), name, message };
  }

  async #find(petId: bigint): Promise<StoredPet> {
    const pet = await this.#deps.pets.find(petId);
    if (pet === undefined || pet.isDraft) throw petNotFound();
    return pet;
  }

  async #settings() {
    return settingsIn(await this.#deps.siteRecords.find('enquiry-settings'));
  }

  #counted<T>(reason: EnquiryRefusal, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#refused(reason, error as Error);
    }
  }

  #refused(reason: EnquiryRefusal, failure: Error): Error {
    this.#deps.activity.refuse(reason);
    return failure;
  }
}

function addressOf(actor: Actor): string {
  return actor.kind === 'operator' ? '' : actor.address;
}

/** @throws Failure `invalid-input` */
function requireText(sent: SentEnquiry, settings: EnquirySettings, nowMs: number): EnquiryText {
  const { name, email, phone, message, language } = sent;
  const { answers, problems } = checkAnswers(settings.questions, sent.answers, settings.language);
  const visit = checkVisitDays(sent.visitDays, settings.language, nowMs);
  const all = [
    // It may have had control characters only.
    ...(name === '' ? [{ path: '/name', message: 'must have a character that is no space' }] : []),
    ...(isMailAddress(email) ? [] : [{ path: '/email', message: ADDRESS_RULE }]),
    ...visit.problems,
    ...problems,
  ];
  if (all.length > 0) throw invalidInput(all);
  return { name, email, phone, message, answers: [...visit.answers, ...answers], language };
}
