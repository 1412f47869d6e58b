import { test } from 'node:test';
import { assertAgrees } from '../model/seeds.ts';

void test('the service on two nodes: agrees with the model in runs from fixed seeds', (t) =>
  assertAgrees(t, 60_000, { nodes: 2 }));
