import assert from 'node:assert/strict';
import { settingsIn } from '../../src/features/enquiries/domain/enquiry-settings.ts';
import { createFormToken } from '../../src/features/enquiries/domain/form-token.ts';
import { signer, tokens } from '../../src/services/crypto/secrets.ts';
import type { StoredTables } from './stored.ts';

/** The settings of a form without questions. */
export const OPEN_FORM = { enabled: true };

export const ENQUIRY = { name: 'Ada', email: 'ada@example.org', message: 'May I visit Rex?' };

/** The key that signs the tokens of forms. */
export async function formKeyIn(query: StoredTables['query']): Promise<string> {
  const [row] = await query(`select text from site_record where kind = 'enquiry-settings'`);
  const text = row?.['text'];
  assert.ok(typeof text === 'string', 'the form has no settings');
  const record = { version: 1n, text, photo: undefined, changedAtMs: 0, changedBy: undefined };
  return settingsIn(record).formKey ?? assert.fail();
}

/** The token of a form that was loaded some seconds ago: tests do not wait. */
export async function agedToken(query: StoredTables['query'], petId: bigint, nowMs = Date.now()): Promise<string> {
  return createFormToken(signer, await formKeyIn(query), petId, tokens.createId(), nowMs - 10_000);
}

let lastId = 1000;

/** Stores an enquiry in the database. @returns its id */
export async function storeEnquiry(query: StoredTables['query'], email: string = ENQUIRY.email): Promise<string> {
  const id = String(++lastId);
  await query(
    `insert into enquiry (id, pet_id, pet_name, name, email, email_key, message, answers, language, search_key, form_id,
       created_at_ms, changed_at_ms)
     values (${id}, 7, 'Rex', 'Ada', $1, $1, 'May I visit Rex?', '[]', 'en', 'rex', 'form ${id}', ${Date.now()}, ${Date.now()})`,
    email,
  );
  return id;
}
