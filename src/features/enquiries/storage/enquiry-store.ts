import type { Enquiry, EnquiryEntry, EnquiryWithEntries } from '../domain/enquiry.ts';
import {
  MAX_COUNTED_ENQUIRIES,
  type EnquiryChange,
  type EnquiryFilter,
  type EnquiryPage,
  type EnquiryStore,
} from '../domain/ports.ts';
import { personKey } from '../../../domain/mail/mail-address.ts';
import { MAX_INT64 } from '../../../domain/int64.ts';
import { searchKey } from '../../../storage/rows/accounts/account-rows.ts';
import { statement } from '../../../storage/rows/statements.ts';
import type { Reads, StoreDeps } from '../../../storage/rows/steps.ts';
import { endOfWindow, readWindows } from '../../../storage/rows/windows.ts';
import { ENQUIRY, ENTRY } from './enquiry-rows.ts';

const find = statement(`select ${ENQUIRY.columns} from enquiry where id = $1`);
const entriesOf = statement(
  ({ isOneOf }) =>
    `select ${ENTRY.columns} from enquiry_entry
     where ${isOneOf('enquiry_id', '$1', 'int8')} order by enquiry_id, number`,
);
const countNew = statement(
  `select count(*) from (select 1 from enquiry where state = 'new' limit ${MAX_COUNTED_ENQUIRIES}) as counted`,
);
const WINDOWS = {
  end: endOfWindow('enquiry', 'descending'),
  matching: statement(({ either }) => {
    const containsText = either('position($5 in search_key) > 0', 'instr(search_key, $5) > 0');
    return `select ${ENQUIRY.columns} from enquiry
      where ($1::text is null or state = $1) and ($2::int8 is null or pet_id = $2)
        and ($3::int8 is null or assignee_id = $3) and ($4::int8 is null or assignee_id is null)
        and ($5::text is null or ${containsText}) and ($6::text is null or email_key = $6)
        and id < $7 and id >= $8 order by id desc limit $9`;
  }),
};

export class SqlEnquiryStore implements EnquiryStore {
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<EnquiryChange, number>) {
    this.#reads = reads;
    this.#apply = apply;
  }

  async find(id: bigint): Promise<EnquiryWithEntries | undefined> {
    const [row] = await this.#reads.ask(find, id);
    if (row === undefined) return undefined;
    return { ...ENQUIRY.read(row), entries: (await this.listEntries([id])).get(id) ?? [] };
  }

  async listEntries(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, readonly EnquiryEntry[]>> {
    const entries = (await this.#reads.ask(entriesOf, ids)).map(ENTRY.read);
    return Map.groupBy(entries, ({ enquiryId }) => enquiryId);
  }

  async countNew(): Promise<number> {
    return Number((await this.#reads.ask<[count: bigint]>(countNew))[0]?.[0]);
  }

  async list(filter: EnquiryFilter, { beforeId = MAX_INT64, limit }: EnquiryPage): Promise<readonly Enquiry[]> {
    const { state, petId, assigneeId, text, email } = filter;
    const parameters = [
      state ?? null,
      petId ?? null,
      assigneeId ?? null,
      assigneeId === null ? 1 : null,
      text === undefined ? null : searchKey(text),
      email === undefined ? null : personKey(email),
    ];
    const rows = await readWindows(this.#reads, WINDOWS, parameters, { startId: beforeId, limit });
    return rows.map(ENQUIRY.read);
  }

  apply(change: EnquiryChange): Promise<number> {
    return this.#apply(change);
  }
}
