import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailboxKey, personKey } from '../../src/domain/mail/mail-address.ts';

void test('key of a person: case, Unicode form and the form of the domain do not matter', () => {
  const forms = ['ada@bücher.example', 'ADA@bu\u0308cher.example', 'ada@XN--BCHER-KVA.example', 'ada@ｂücher.example'];
  assert.deepEqual([...new Set(forms.map(personKey))], ['ada@xn--bcher-kva.example']);
  assert.equal(personKey('Ada@0x7f.1'), 'ada@0x7f.1', 'not the number that a URL takes it for');
  assert.equal(personKey('No Address'), 'no address');
  assert.notEqual(personKey('ada+1@example.org'), personKey('ada@example.org'));
});

void test('key of a mailbox: plus parts do not count, nor dots where the server ignores them', () => {
  const forms = ['victim@gmail.com', 'v.i.c.t.i.m@gmail.com', 'Victim+7@googlemail.com', 'vic.tim+a+b@GMAIL.com'];
  assert.deepEqual([...new Set(forms.map(mailboxKey))], ['victim@gmail.com']);
  assert.equal(mailboxKey('a.b+c@bücher.example'), 'a.b@xn--bcher-kva.example');
  assert.equal(mailboxKey('+c@example.org'), '+c@example.org');
});
