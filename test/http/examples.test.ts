import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { DESCRIPTIONS } from '../../src/api/documents/descriptions.ts';
import { EXAMPLES, valueAt } from '../../src/api/documents/examples.ts';
import type { JsonValue } from '../../src/api/documents/examples/example.ts';
import { LINKS } from '../../src/api/documents/links.ts';
import type { OperationDescription } from '../../src/api/documents/parts/format.ts';
import { ENDPOINTS, type OperationId } from '../../src/api/endpoints.ts';
import { runExamples } from '../support/example-requests.ts';
import { startTestService } from '../support/service.ts';

/* The examples of the documents work. Their responses are compared with the schemas like those of every test. */

/** Operations that a playground does not have, that need a browser, an app, another server or a person, or never end. */
const WITHOUT_EXAMPLE: readonly OperationId[] = [
  'streamEvents',
  'sendEnquiry',
  'getEnquiry',
  'updateEnquiry',
  'addEnquiryNote',
  'answerEnquiry',
  'deleteEnquiry',
  'listPlaygrounds',
  'changePassword',
  'endSession',
  'linkProvider',
  'listUserProviders',
  'unlinkUserProvider',
  'uploadListing',
  'retryWaitingMail',
  'listDeadMail',
  'retryDeadMail',
  'deleteDeadMail',
  'resendInvitation',
  'unlinkProvider',
  'requestEmailConfirmation',
  'confirmEmail',
  'requestPasswordReset',
  'createSavedSearch',
  'confirmSavedSearch',
  'stopSavedSearch',
  'signInWithCode',
  'startPasskeySignIn',
  'signInWithPasskey',
  'startPasskeyProof',
  'confirmTotp',
  'deleteTotp',
  'replaceRecoveryCodes',
  'startPasskey',
  'addPasskey',
  'renamePasskey',
  'deletePasskey',
  'getConsent',
  'giveConsent',
  'deleteAnyOAuthClient',
  'revokeAnyKey',
  'testWebhook',
  'retryDeadLetter',
  'getHealth',
  'checkHealth',
  'getMailSettings',
  'updateMailSettings',
  'testMail',
  'getSystem',
  'listBackups',
  'startBackup',
  'downloadBackup',
  'checkBackup',
  'restoreBackup',
  'getRestore',
  'undoRestore',
];

const { base } = await startTestService({ after }, { flags: ['--empty', '--access=sandbox'] });
const photo = await readFile(new URL('../../assets/sample-photos/dog-olive.jpg', import.meta.url));
const results = new Map((await runExamples(base, photo)).map((result) => [result.operation, result]));

void test('examples: each operation has one, or is listed here', () => {
  const without = Object.keys(ENDPOINTS).filter((id) => !EXAMPLES.has(id as OperationId));
  assert.deepEqual(without.toSorted(), WITHOUT_EXAMPLE.toSorted());
});

for (const [operation, example] of EXAMPLES) {
  void test(`example of ${operation}: succeeds, with a response of the same shape`, () => {
    const { response } = results.get(operation) ?? assert.fail();
    assert.equal(response.status, 200, response.text);
    if (example.response === undefined) return;
    assert.deepEqual(shapeOf(JSON.parse(response.text) as JsonValue), shapeOf(example.response));
  });
}

void test('links: have all parameters of the operation in the path, with values that are there', () => {
  for (const [from, targets] of Object.entries(LINKS) as [OperationId, (typeof LINKS)[OperationId]][])
    for (const [to, parameters] of Object.entries(targets ?? {})) {
      const { path = {} }: OperationDescription = DESCRIPTIONS[to as OperationId];
      assert.deepEqual(Object.keys(parameters).toSorted(), Object.keys(path).toSorted(), `${from}: ${to}`);
      for (const expression of Object.values(parameters))
        assert.ok(valueOf(expression, from) !== undefined, `${from}: ${expression}`);
    }
});

/** The value of a runtime expression (OpenAPI 3.1, section 4.8.20.4) after the example of this operation. */
function valueOf(expression: string, operation: OperationId): unknown {
  const { response, parameters } = results.get(operation) ?? assert.fail(operation);
  const [, source = '', pointer = ''] = /^\$(\w+\.\w+)[#.](.*)$/.exec(expression) ?? assert.fail(expression);
  if (source === 'request.path') return parameters[pointer];
  const body = source === 'response.body' ? (JSON.parse(response.text) as JsonValue) : EXAMPLES.get(operation)?.body;
  return valueAt(body, pointer);
}

/** The names and types of all members; of a list, those of its first item. */
function shapeOf(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map((item: JsonValue) => shapeOf(item));
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}
