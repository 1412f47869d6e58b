/*
 * What programs call themselves, in words that people know. It is a guess that helps to tell one's own sessions apart, and nothing more.
 */

/** The first that fits counts: nearly all of them say that they are Mozilla, and most that they are Chrome and Safari, too. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

export interface ProgramName {
  program: string;
  /** Where it runs, if it says so. */
  system: string | undefined;
}

/** Undefined for a program that does not say what it is. */
export function nameProgram(userAgent: string | undefined): ProgramName | undefined {
  if (userAgent === undefined || userAgent.trim() === '') return undefined;
  const known = firstIn(PROGRAMS, userAgent);
  // Programs that are no browsers begin with their name: `curl/8.5.0`.
  const program = known ?? userAgent.trim().split(/[\s/]/)[0] ?? userAgent;
  return { program, system: firstIn(SYSTEMS, userAgent) };
}

function firstIn(names: readonly (readonly [RegExp, string])[], userAgent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1];
}
