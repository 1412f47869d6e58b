import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { Failure } from '../../src/domain/failure.ts';
import { requirePrecondition, matches, type EntityTag, type Precondition } from '../../src/domain/precondition.ts';

const tag: fc.Arbitrary<EntityTag> = fc.record({
  weak: fc.boolean(),
  value: fc.oneof(fc.constantFrom('1', '2', '3', '', '01', '1 '), fc.string()),
});
const tags = fc.oneof(fc.constant('*' as const), fc.array(tag, { maxLength: 4 }));
const version = fc.option(fc.bigInt({ min: 1n, max: 4n }), { nil: undefined });

function holds(precondition: Precondition | undefined, current: bigint | undefined): boolean {
  try {
    requirePrecondition(precondition, current);
    return true;
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === 'precondition-failed');
    return false;
  }
}

void describe('precondition', () => {
  void it('If-Match: holds for a strong tag of the current version, and * for any version', () => {
    fc.assert(
      fc.property(tags, version, (ifMatch, current) => {
        const expected =
          current !== undefined &&
          (ifMatch === '*' || ifMatch.some(({ weak, value }) => !weak && value === String(current)));
        assert.equal(holds({ ifMatch }, current), expected);
      }),
    );
  });

  void it('If-None-Match: holds if no tag, weak or strong, is the current version, and * without a record', () => {
    fc.assert(
      fc.property(tags, version, (ifNoneMatch, current) => {
        const named =
          current !== undefined && (ifNoneMatch === '*' || ifNoneMatch.some(({ value }) => value === String(current)));
        assert.equal(holds({ ifNoneMatch }, current), !named);
      }),
    );
  });

  void it('both: holds if each does; none always holds', () => {
    fc.assert(
      fc.property(tags, tags, version, (ifMatch, ifNoneMatch, current) => {
        assert.equal(
          holds({ ifMatch, ifNoneMatch }, current),
          holds({ ifMatch }, current) && holds({ ifNoneMatch }, current),
        );
        assert.ok(holds(undefined, current) && holds({}, current));
      }),
    );
  });

  void it('matches nothing without a record', () => {
    assert.equal(matches('*', undefined, false), false);
    assert.equal(matches([{ weak: false, value: 'undefined' }], undefined, false), false);
  });
});
