import { renewalIn } from '../../../storage/rows/person-keys.ts';
import { ROWS, type DumpTable } from '../../../storage/rows/dump/dump-table.ts';

export const ENQUIRY_TABLES = [
  {
    name: 'enquiry',
    columns: {
      id: 'int',
      version: 'int',
      pet_id: 'int',
      pet_name: 'text',
      state: 'text',
      assignee_id: 'int',
      name: 'text',
      email: 'text',
      email_key: 'text',
      phone: 'text',
      message: 'text',
      answers: 'text',
      language: 'text',
      search_key: 'text',
      form_id: 'text',
      created_at_ms: 'int',
      changed_at_ms: 'int',
    },
    keyLength: 1,
    batchRows: ROWS,
  },
  {
    name: 'enquiry_entry',
    columns: {
      enquiry_id: 'int',
      number: 'int',
      kind: 'text',
      author_id: 'int',
      author_name: 'text',
      at_ms: 'int',
      text: 'text',
    },
    keyLength: 2,
    batchRows: ROWS,
  },
] as const satisfies readonly DumpTable[];

export const ENQUIRY_REFERENCES = [
  { table: 'enquiry', column: 'assignee_id', parent: 'account', label: 'enquiry of account', isOptional: true },
  { table: 'enquiry_entry', column: 'enquiry_id', parent: 'enquiry', label: 'note of enquiry' },
] as const;

export const renewKeysOfEnquiries = renewalIn('enquiry');

/** No string of the JSON text can contain it, because its quotation marks would be escaped. */
const ENABLED_FORM = `from site_record as form where form.kind = 'enquiry-settings' and form.text like '%"enabled":true%'`;

/** As in `storage/rows/health/row-problems.ts`. */
export const ENQUIRY_CHECKS = {
  'enquiries-not-mailed': { find: `select 'form' as subject ${ENABLED_FORM}`, repair: [] },
  'enquiries-without-recipient': {
    find: `select 'form' as subject ${ENABLED_FORM} and form.text not like '%"recipient":%' and not exists
      (select 1 from site_record as site where site.kind = 'organisation' and site.text like '%"email":%')`,
    repair: [],
  },
} as const;
