/* Readable names of user agents: a guess that helps users to recognize their sessions. */

/** The first match counts: nearly all claim to be Mozilla, and most also Chrome and Safari. */
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

interface ProgramName {
  program: string;
  system: string | undefined;
}

/** Undefined without a user agent. */
export function nameProgram(userAgent: string | undefined): ProgramName | undefined {
  if (userAgent === undefined || userAgent.trim() === '') return undefined;
  const known = firstIn(PROGRAMS, userAgent);
  // Other programs begin with their name: `curl/8.5.0`.
  const program = known ?? userAgent.trim().split(/[\s/]/)[0] ?? userAgent;
  return { program, system: firstIn(SYSTEMS, userAgent) };
}

function firstIn(names: readonly (readonly [RegExp, string])[], userAgent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1];
}
