import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { Failure } from '../../src/domain/failure.ts';
import { createRequestBudget } from '../../src/domain/request-budget.ts';

const HOUR_MS = 3_600_000;

function refusal(spend: () => void): Failure | undefined {
  try {
    spend();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === 'too-many-requests');
    return error;
  }
}

void describe('the request budget', () => {
  void it('lets through exactly the number, for each key and each hour apart', () => {
    const arrivals = fc.array(fc.record({ key: fc.constantFrom('a', 'b'), afterMs: fc.nat(HOUR_MS / 3) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.nat(HOUR_MS), arrivals, (limit, startMs, requests) => {
        let nowMs = startMs;
        const budget = createRequestBudget(limit, () => nowMs);
        const spent = new Map<string, number>();
        for (const { key, afterMs } of requests) {
          nowMs += afterMs;
          const slot = `${key} ${Math.floor(nowMs / HOUR_MS)}`;
          const count = (spent.get(slot) ?? 0) + 1;
          spent.set(slot, count);
          assert.equal(refusal(() => budget.spend(key)) === undefined, count <= limit);
        }
      }),
    );
  });

  void it('says when to come back: whoever waits so long is let through', () => {
    fc.assert(
      fc.property(fc.nat(5 * HOUR_MS), (startMs) => {
        let nowMs = startMs;
        const budget = createRequestBudget(1, () => nowMs);
        budget.spend('a');
        const failure = refusal(() => budget.spend('a'));
        const seconds = failure?.details.retryAfterSeconds ?? 0;
        assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 3600);
        nowMs += seconds * 1000;
        assert.equal(
          refusal(() => budget.spend('a')),
          undefined,
        );
      }),
    );
  });
});
