import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf, linesOf } from '../../src/client/streams.ts';

/** The bytes of a text in chunks of this length, even inside a character. */
function inPieces(text: string, length: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.slice(index * length, (index + 1) * length),
  );
  return ReadableStream.from(pieces);
}

const LINES = 'one\ntwo \u{1f431}\r\n\nthree\rfour\r\n';

void test('lines: are the same however the bytes are split', async () => {
  for (let length = 1; length < 12; length++) {
    assert.deepEqual(await Array.fromAsync(linesOf(inPieces(LINES, length))), [
      'one',
      'two \u{1f431}',
      '',
      'three',
      'four',
    ]);
    assert.deepEqual(await Array.fromAsync(linesOf(inPieces('a\nb', length))), ['a', 'b']);
  }
  assert.deepEqual(await Array.fromAsync(linesOf(null)), []);
});

void test('a body: is cancelled when its reader stops', async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('line\n')),
    cancel: () => void (isCancelled = true),
  });
  for await (const line of linesOf(endless)) {
    assert.equal(line, 'line');
    break;
  }
  assert.ok(isCancelled);
});

void test('events: have id, type and data; comments and incomplete events are skipped', async () => {
  const text =
    ': hello\n\nid: 7\nevent: pet.added\ndata: {"a":\ndata:1}\n\nretry: 1500\ndata: x\n\nid\nevent: y\n\ndata: ' +
    'z\n\ndata: cut off';
  assert.deepEqual(await Array.fromAsync(eventsOf(linesOf(inPieces(text, 5)))), [
    { id: '7', type: 'pet.added', data: '{"a":\n1}', retryMs: undefined },
    { id: '7', type: 'message', data: 'x', retryMs: 1500 },
    { id: '', type: 'message', data: 'z', retryMs: 1500 },
  ]);
});
