import { readFileSync } from 'node:fs';

/** The first line of it has, in hundredths of a second since the start: user, nice, system, idle, iowait, irq, softirq, steal, ... (proc_stat(5)). */
const COUNTERS = '/proc/stat';
const COUNTED = 8;
const STEAL = 7;

/**
 * Begins to watch what others on the same hardware take from this machine: then a virtual processor stands still, and so does whatever is measured.
 *
 * @returns what tells the part of the processors' time that was taken since, from 0 to 1; 0 where the system does not count it
 */
export function watchStolenTime(): () => number {
  const before = readCounters();
  return () => {
    const spent = readCounters().map((value, index) => value - (before[index] ?? 0));
    const all = spent.reduce((sum, value) => sum + value, 0);
    return all > 0 ? (spent[STEAL] ?? 0) / all : 0;
  };
}

function readCounters(): number[] {
  try {
    const [line = ''] = readFileSync(COUNTERS, 'utf8').split('\n');
    const values = line.split(/\s+/).slice(1, 1 + COUNTED);
    return values.map(Number);
  } catch {
    return [];
  }
}
