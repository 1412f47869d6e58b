export interface Progress {
  say(what: string): void;
  /** Before anything else is printed. */
  clear(): void;
}

/** One line that is written anew on a terminal; elsewhere a line for each step. */
export function createProgress(): Progress {
  const isTerminal = process.stderr.isTTY;
  let last = '';
  return {
    say(what) {
      if (what === last) return;
      last = what;
      process.stderr.write(isTerminal ? `\r\u001B[K${what} ...` : `${what}\n`);
    },
    clear() {
      if (isTerminal) process.stderr.write('\r\u001B[K');
    },
  };
}
