import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { compareSimilar, SimilarWords } from '../../src/domain/search/similar-words.ts';
import { editsToPrefixOf, maxEditsOf } from '../../src/domain/search/spelling.ts';
import { NearestWords } from '../../src/domain/search/word-tree.ts';

/** Few letters, so that words are similar; one of them is not in ASCII. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: 16 });
const longWord = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 28, maxLength: 40 });
const counts = fc.array(fc.tuple(fc.oneof(word, word, longWord), fc.nat(2)), { maxLength: 40 });
const typed = fc.oneof(
  word,
  longWord.map((long) => long.slice(0, 32)),
);

/** The comparison with every word. */
function findNaively(countOf: ReadonlyMap<string, number>, searched: string, maxEdits: number) {
  const [best] = Array.from(countOf, ([name, count]) => ({
    word: name,
    edits: editsToPrefixOf(name, searched, maxEdits),
    count,
  }))
    .filter(({ edits, count }) => count > 0 && edits <= maxEdits)
    .toSorted(compareSimilar);
  return best;
}

void describe('similar words', () => {
  void it('nearest word: the same as by a comparison with every word, also after changes', () => {
    const property = fc.property(
      counts,
      fc.array(fc.tuple(counts, typed), { minLength: 1, maxLength: 5 }),
      (first, steps) => {
        const countOf = new Map(first);
        const words = () => [...countOf.keys(), ...countOf.keys()];
        const similar = new SimilarWords({ words, countOf: (name) => countOf.get(name) ?? 0 });
        for (const [changed, searched] of steps) {
          for (const [name, count] of changed) countOf.set(name, count);
          if (similar.isInUse) similar.change(changed.map(([name]) => name));
          const isKnown = [...countOf].some(([name, count]) => count > 0 && name.startsWith(searched));
          if (isKnown) continue;
          const maxEdits = maxEditsOf(searched);
          const expected = maxEdits === 0 ? undefined : findNaively(countOf, searched, maxEdits);
          assert.deepEqual(similar.find(searched, maxEdits), expected, searched);
        }
      },
    );
    fc.assert(property, { numRuns: 2000 });
  });

  void it('work: a small part of a comparison with every word, and hardly more with ten times as many', (t) => {
    const compare = t.mock.method(NearestWords.prototype, 'compare').mock;
    const comparisons = [6000, 60_000].map((count) => {
      const similar = new SimilarWords({
        words: () => Array.from({ length: count }, (_, n) => wordOf(n)),
        countOf: () => 1,
      });
      similar.find('unknown', 1);
      compare.resetCalls();
      assert.equal(similar.find('qqqqqq', 1), undefined);
      return compare.callCount();
    });
    const [few = 0, many = 0] = comparisons;
    assert.ok(many < 1000 && many < 3 * few, comparisons.join());
  });
});

/** Different words of five letters or more, whose beginnings branch as much as those of random ones. */
function wordOf(number: number): string {
  return (number * 7919 + 1_000_003).toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');
}
