export interface Progress {
  say(what: string): void;
  /** Clears the line, before other output. */
  clear(): void;
}

/** One line that is rewritten on a terminal; otherwise one line per step. */
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
