import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNASSIGNED, readEnquirySearch } from '../../src/features/enquiries/api/enquiry-rules.ts';
import { answersIn, findFaults } from '../../src/features/enquiries/web/draft-checks.ts';
import type { Question } from '../../src/features/enquiries/web/enquiry-form.ts';
import { bodyOf, fieldsOf, moved, newQuestion } from '../../src/features/enquiries/web/settings/settings-fields.ts';

/* The rules of the forms of enquiries, and the address of their list. */

const TEXT = { en: 'Question?', de: 'Frage?' };
const QUESTIONS: Question[] = [
  { id: 'garden', text: TEXT, type: 'yes-no', required: true },
  { id: 'home', text: TEXT, type: 'choice', required: false, choices: [{ value: 'flat' }, { value: 'house' }] },
  { id: 'pets', text: TEXT, type: 'text', required: false },
];

const DRAFT = {
  name: 'Ada',
  email: ' ada@example.org ',
  phone: '',
  message: 'Hello',
  answers: { garden: 'no', home: 'flat', gone: 'An answer to a question that was deleted' },
  visitDays: ['2030-01-03', ''],
};

void test('enquiry: a complete one has no faults, and answers have the types of their questions', () => {
  assert.deepEqual([...findFaults(DRAFT, QUESTIONS)], []);
  assert.deepEqual(answersIn(DRAFT, QUESTIONS), { garden: false, home: 'flat', pets: null });
});

void test('enquiry: missing, malformed and long fields are found', () => {
  const answers = { pets: 'x'.repeat(1001) };
  const draft = { name: ' ', email: 'ada@', phone: '1'.repeat(51), message: '', answers, visitDays: [] };
  assert.deepEqual(Object.fromEntries(findFaults(draft, QUESTIONS)), {
    '/name': 'missing',
    '/email': 'malformed',
    '/phone': 'long',
    '/message': 'missing',
    '/answers/garden': 'missing',
    '/answers/pets': 'long',
  });
  // The service counts characters: an emoji is one.
  assert.equal(findFaults({ ...DRAFT, name: '🐾'.repeat(100) }, []).size, 0);
});

void test('enquiry settings: saving without a change keeps everything, also labels that the form does not show', () => {
  const choices = [
    { value: 'flat', labelEn: 'Flat', labelDe: 'Wohnung' },
    { value: 'House', labelDe: 'Haus' },
  ];
  const question: Question = { id: 'home', text: TEXT, type: 'choice', required: true, choices };
  const sent = { enabled: true, language: 'de' as const, retentionDays: 90, questions: [question] };
  const fields = fieldsOf({ ...sent, sendsTo: null });
  assert.equal(fields.questions[0]?.choices, 'Flat | Wohnung\nHouse | Haus');
  assert.deepEqual(bodyOf(fields), { ...sent, recipient: '' });
});

void test('enquiry settings: lines are choices, and new questions have unused IDs', () => {
  const first = newQuestion([]);
  const second = newQuestion([{ ...first, id: 'question2' }]);
  assert.deepEqual([first.id, second.id], ['question1', 'question3']);
  const lines = ' House | Haus \n\nFlat\n a | b | c ';
  const fields = fieldsOf({ enabled: false, language: 'en', retentionDays: 1, questions: [], sendsTo: null });
  const body = bodyOf({ ...fields, questions: [{ ...first, type: 'choice', choices: lines }] });
  assert.deepEqual(body.questions?.[0]?.choices, [
    { value: 'House', labelDe: 'Haus' },
    { value: 'Flat' },
    { value: 'a', labelDe: 'b|c' },
  ]);
  const ids = (step: -1 | 1, index: number) => moved([first, second], index, step).map(({ id }) => id);
  assert.deepEqual(
    [ids(1, 0), ids(-1, 1)],
    [
      ['question3', 'question1'],
      ['question3', 'question1'],
    ],
  );
});

void test('list of enquiries: invalid parameters of the address are ignored', () => {
  assert.deepEqual(readEnquirySearch({ state: 'new', assignee: UNASSIGNED, petId: '7', text: 'Ada', page: '2' }), {
    state: 'new',
    assignee: UNASSIGNED,
    petId: '7',
    text: 'Ada',
  });
  assert.deepEqual(readEnquirySearch({ state: 'lost', petId: 'x', text: ' ' }), {});
});
