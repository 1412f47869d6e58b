import { test } from 'node:test';
import { assertAgrees } from './seeds.ts';

void test('the service: agrees with the model in runs from fixed seeds', (t) => assertAgrees(t, 30_000));
