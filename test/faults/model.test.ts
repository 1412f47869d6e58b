import { test } from 'node:test';
import { assertAgrees } from '../model/seeds.ts';

void test('a killed service: agrees with the model in runs from fixed seeds', (t) =>
  assertAgrees(t, 60_000, { kills: true }));
