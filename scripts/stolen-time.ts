import { readFileSync } from 'node:fs';

/**
 * Its first line has the times since boot, in hundredths of a second: user, nice, system, idle, iowait, irq, softirq,
 * steal, ... (proc_stat(5)).
 */
const COUNTERS = '/proc/stat';
const COUNTED = 8;
const STEAL = 7;

/**
 * Starts to measure stolen time, in which the virtual processors wait because other machines use the hardware.
 *
 * @returns a function that returns the fraction of stolen time since the start, from 0 to 1; 0 if the system does not
 *   count it
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
