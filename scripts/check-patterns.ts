import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { check } from 'recheck';
import { patternsInSource, type Pattern } from './patterns.ts';

/*
 * Finds regular expressions in src/ that take more than linear time for some input (ReDoS).
 */

/** Patterns that the checker reports, and why they are safe. */
const ACCEPTED: Readonly<Record<string, string>> = {
  [String.raw`^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`]: 'a setting of the operator',
  [String.raw`<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<!DOCTYPE|<[!?]?`]:
    'the XML reader stops at the first one without an end',
  [String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+`]:
    'the checker does not support the flag v; the pattern repeats a single class',
  [String.raw`([0-9a-f]{64})\/original$`]: 'keys of a bucket have at most 1,024 bytes',
  [String.raw`[\w-]{43}`]: 'a fixed length',
  [String.raw`"photoUrls":\["\\\/v2\/photo\/([0-9a-f]{64})`]: 'a fixed beginning, and a fixed length after it',
};

const TIMEOUT_MS = 20_000;

/** Patterns that were found safe before; an analysis takes up to seconds. */
const CACHE = join(import.meta.dirname, '../node_modules/.cache/menagerie-patterns');
const CACHE_FILE = join(CACHE, 'safe.json');

const safe = new Set(JSON.parse(await readFile(CACHE_FILE, 'utf8').catch(() => '[]')) as string[]);

const patterns = patternsInSource();
const faults: string[] = [];
// Started together, they would all wait for the others, and time out.
const waiting = patterns.values();
await Promise.all(Array.from({ length: availableParallelism() }, checkWaiting));
await mkdir(CACHE, { recursive: true });
await writeFile(CACHE_FILE, JSON.stringify([...safe]));
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`${patterns.length} regular expressions checked, ${faults.length} unsafe.\n`);
if (faults.length > 0) process.exitCode = 1;

async function checkWaiting(): Promise<void> {
  for (const pattern of waiting) {
    const fault = await faultOf(pattern);
    if (fault !== undefined) faults.push(fault);
  }
}

async function faultOf({ file, line, source, flags }: Pattern): Promise<string | undefined> {
  const text = `/${source}/${flags}`;
  if (ACCEPTED[source] !== undefined || safe.has(text)) return undefined;
  const result = await check(source, flags, { timeout: TIMEOUT_MS, randomSeed: 1 });
  if (result.status === 'safe') {
    safe.add(text);
    return undefined;
  }
  const reason =
    result.status === 'vulnerable'
      ? `takes ${result.complexity.summary} time for ${result.attack.pattern}`
      : `could not be checked: ${result.error.kind}`;
  return `${file}:${line}: ${text} ${reason}`;
}
