import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Lifetime } from '../test/support/lifetime.ts';
import { startTestService, type TestService } from '../test/support/service.ts';

const ROOT = resolve(import.meta.dirname, '..');

export const PICTURE_PATH = resolve(ROOT, 'assets/sample-photos/dog-olive.jpg');

export const PICTURE: Uint8Array<ArrayBuffer> = new Uint8Array(readFileSync(PICTURE_PATH));

/** As a stranger has it: open access, an empty catalogue. */
export function startForOthers(t: Lifetime): Promise<TestService> {
  return startTestService(t, { flags: ['--empty'] });
}
