import { RULES, type Access, type Actor, type Role } from '../../../domain/access.ts';
import type { MailLimits } from '../../../domain/accounts/mail-limits.ts';
import type { Tokens, UserStore } from '../../../domain/accounts/ports.ts';
import { done, stampOf, type AuditStore } from '../../../domain/audit.ts';
import { Failure, invalidInput } from '../../../domain/failure.ts';
import { ADDRESS_RULE, isMailAddress } from '../../../domain/mail/mail-address.ts';
import type { MailBell } from '../../../domain/mail/mail-bell.ts';
import type { SiteRecordStore } from '../../../domain/organisation/ports.ts';
import type { Clock } from '../../../domain/ports.ts';
import type { Precondition } from '../../../domain/precondition.ts';
import { enquiryNotFound, type Enquiry, type EnquiryState, type EnquiryWithEntries } from './enquiry.ts';
import { requireSettings, settingsIn, settingsText, type EnquirySettings } from './enquiry-settings.ts';
import type { EnquiryFilter, EnquiryPage, EnquiryStore } from './ports.ts';
import { recipientOf } from './recipient.ts';

interface EnquiryAdministrationDeps {
  access: Access;
  enquiries: EnquiryStore;
  siteRecords: SiteRecordStore;
  users: Pick<UserStore, 'find' | 'staffNames'>;
  audit: Pick<AuditStore, 'apply'>;
  tokens: Pick<Tokens, 'create'>;
  bell: MailBell;
  mailLimits: Pick<MailLimits, 'spend'>;
  clock: Clock;
}

export interface StoredEnquirySettings {
  /** 0 if no administrator has written them yet. */
  version: bigint;
  settings: EnquirySettings;
  /** The address that gets messages about enquiries; undefined if none are sent. */
  sendsTo: string | undefined;
}

/** A filter as clients send it. */
export interface EnquiryCriteria extends Omit<EnquiryFilter, 'assigneeId'> {
  /** A user name; null for enquiries without an assignee. */
  assignee?: string | null | undefined;
}

export interface EnquiryOverview {
  newEnquiries: number;
  /** The user names of those who may handle enquiries. */
  staff: readonly string[];
}

export interface EnquiryUpdate {
  state?: EnquiryState | undefined;
  /** A user name, or null for nobody. */
  assignee?: string | null | undefined;
}

/** The number of enquiries in a chunk of an export. */
const CHUNK = 50;

const DAY_MS = 24 * 3_600_000;

const STAFF: readonly Role[] = RULES['handle enquiries'].roles;

/** Enquiries for staff. Every operation requires the permission `handle enquiries`. */
export class EnquiryAdministration {
  readonly #deps: EnquiryAdministrationDeps;

  constructor(deps: EnquiryAdministrationDeps) {
    this.#deps = deps;
  }

  async getSettings(actor: Actor): Promise<StoredEnquirySettings> {
    const { access, siteRecords, bell } = this.#deps;
    access(actor, 'handle enquiries');
    const record = await siteRecords.find('enquiry-settings');
    const { settings } = settingsIn(record);
    const recipient = recipientOf(settings, await siteRecords.find('organisation'));
    return { version: record?.version ?? 0n, settings, sendsTo: bell.isOn ? recipient : undefined };
  }

  /**
   * Requires the permission `administer` as well. Replaces everything but the key of the forms.
   * @throws Failure `invalid-input`, `precondition-failed`
   */
  async putSettings(
    actor: Actor,
    settings: EnquirySettings,
    precondition?: Precondition,
  ): Promise<StoredEnquirySettings> {
    const { access, siteRecords, tokens, clock } = this.#deps;
    access(actor, 'administer');
    requireSettings(settings);
    const { formKey = tokens.create() } = settingsIn(await siteRecords.find('enquiry-settings'));
    await siteRecords.apply({
      kind: 'put',
      record: 'enquiry-settings',
      text: settingsText(settings, formKey),
      precondition,
      action: 'enquiry-settings.changed',
      stamp: stampOf(actor, clock()),
    });
    return this.getSettings(actor);
  }

  /** The newest first. */
  async list(actor: Actor, criteria: EnquiryCriteria, page: EnquiryPage): Promise<readonly Enquiry[]> {
    const { access, enquiries, users } = this.#deps;
    access(actor, 'handle enquiries');
    const { assignee, ...filter } = criteria;
    if (assignee === undefined || assignee === null)
      return enquiries.list({ ...filter, ...(assignee === null && { assigneeId: null }) }, page);
    const account = await users.find(assignee);
    return account === undefined ? [] : enquiries.list({ ...filter, assigneeId: account.id }, page);
  }

  async getOverview(actor: Actor): Promise<EnquiryOverview> {
    const { access, enquiries, users } = this.#deps;
    access(actor, 'handle enquiries');
    const [newEnquiries, staff] = await Promise.all([enquiries.countNew(), users.staffNames()]);
    return { newEnquiries, staff: staff.toSorted() };
  }

  /**
   * All matching enquiries with their entries, newest first, in chunks. The audit entry is written before it resolves.
   */
  async export(
    actor: Actor,
    criteria: EnquiryCriteria,
    format: string,
  ): Promise<AsyncIterable<readonly EnquiryWithEntries[]>> {
    const { access, audit, clock } = this.#deps;
    access(actor, 'handle enquiries');
    const entry = done(stampOf(actor, clock()), 'enquiry.exported', null, { format });
    await audit.apply({ kind: 'note', entry });
    return this.#chunks(actor, criteria);
  }

  async *#chunks(actor: Actor, criteria: EnquiryCriteria): AsyncGenerator<readonly EnquiryWithEntries[]> {
    let beforeId: bigint | undefined;
    for (;;) {
      const chunk = await this.list(actor, criteria, { beforeId, limit: CHUNK });
      const entries = await this.#deps.enquiries.listEntries(chunk.map(({ id }) => id));
      yield chunk.map((enquiry) => ({ ...enquiry, entries: entries.get(enquiry.id) ?? [] }));
      if (chunk.length < CHUNK) return;
      beforeId = chunk.at(-1)?.id;
    }
  }

  /** @throws Failure `not-found` */
  async get(actor: Actor, id: bigint): Promise<EnquiryWithEntries> {
    const { access, enquiries } = this.#deps;
    access(actor, 'handle enquiries');
    const enquiry = await enquiries.find(id);
    if (enquiry === undefined) throw enquiryNotFound();
    return enquiry;
  }

  /** @throws Failure `not-found`, `precondition-failed`; `invalid-input` if the assignee may not handle enquiries */
  async update(
    actor: Actor,
    id: bigint,
    { state, assignee }: EnquiryUpdate,
    precondition?: Precondition,
  ): Promise<EnquiryWithEntries> {
    const { access, enquiries, clock } = this.#deps;
    access(actor, 'handle enquiries');
    const assigneeId = typeof assignee === 'string' ? await this.#idOfStaff(assignee) : assignee;
    await enquiries.apply({
      kind: 'update',
      id,
      ...(state !== undefined && { state }),
      ...(assigneeId !== undefined && { assigneeId }),
      precondition,
      stamp: stampOf(actor, clock()),
    });
    return this.get(actor, id);
  }

  /** @throws Failure `not-found`, `conflict` */
  async addNote(actor: Actor, id: bigint, text: string): Promise<EnquiryWithEntries> {
    const { access, enquiries, clock } = this.#deps;
    access(actor, 'handle enquiries');
    await enquiries.apply({ kind: 'note', id, text, stamp: stampOf(actor, clock()) });
    return this.get(actor, id);
  }

  /**
   * Sends an answer by e-mail. @throws Failure `not-found`; `conflict` also if the service sends no e-mail;
   * `too-many-requests`
   */
  async answer(actor: Actor, id: bigint, text: string): Promise<EnquiryWithEntries> {
    const { access, enquiries, mailLimits, bell, clock } = this.#deps;
    access(actor, 'handle enquiries');
    if (!bell.isOn)
      throw new Failure(
        'conflict',
        'The service sends no e-mail. Set a mail server in the administration, or answer another way.',
      );
    const { email } = await this.get(actor, id);
    await mailLimits.spend('enquiry-answer', email, actor);
    await enquiries.apply({ kind: 'answer', id, text, stamp: stampOf(actor, clock()) });
    bell.ring();
    return this.get(actor, id);
  }

  /** @throws Failure `not-found`, `precondition-failed` */
  async delete(actor: Actor, id: bigint, precondition?: Precondition): Promise<void> {
    const { access, enquiries, clock } = this.#deps;
    access(actor, 'handle enquiries');
    await enquiries.apply({ kind: 'delete', id, precondition, stamp: stampOf(actor, clock()) });
  }

  /**
   * Deletes all that a person has sent, with the messages that wait to be sent.
   * @returns the number of deleted enquiries
   * @throws Failure `invalid-input` if it is no address
   */
  async erase(actor: Actor, email: string): Promise<number> {
    const { access, enquiries, clock } = this.#deps;
    access(actor, 'handle enquiries');
    if (!isMailAddress(email)) throw invalidInput([{ path: '/email', message: ADDRESS_RULE }]);
    return enquiries.apply({ kind: 'erase', email, stamp: stampOf(actor, clock()) });
  }

  async #idOfStaff(username: string): Promise<bigint> {
    const account = await this.#deps.users.find(username);
    if (account !== undefined && STAFF.includes(account.role)) return account.id;
    throw invalidInput([{ path: '/assignee', message: 'must be the user name of an editor or administrator' }]);
  }
}

/** Deletes at most `limit` enquiries that were kept long enough. @returns how many */
export async function deleteExpired(
  { enquiries, siteRecords }: Pick<EnquiryAdministrationDeps, 'enquiries' | 'siteRecords'>,
  nowMs: number,
  limit: number,
): Promise<number> {
  const { settings } = settingsIn(await siteRecords.find('enquiry-settings'));
  return enquiries.apply({ kind: 'forget', beforeMs: nowMs - settings.retentionDays * DAY_MS, limit });
}
