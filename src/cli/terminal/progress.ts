import { once } from 'node:events';
import { SingleBar } from 'cli-progress';
import { print } from './output.ts';

/** Exit code of a command stopped by Ctrl-C, as in shells. */
export const STOPPED = 130;

/** The first signal stops the command after the current step, the second one immediately. */
export function stopOnSignal(): { signal: AbortSignal; forget(): void } {
  const controller = new AbortController();
  const done = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    once(process, name, { signal: done.signal }).then(
      () => controller.abort(),
      () => {},
    );
  }
  return { signal: controller.signal, forget: () => done.abort() };
}

export interface Progress {
  step: 'copying' | 'comparing';
  /** A table, or `photos`. */
  what: string;
  done: number;
  total: number;
}

/** Shows a progress bar for each table on a terminal, and a line for each stage elsewhere. */
export class ProgressView {
  readonly #isTerminal = process.stderr.isTTY;
  #bar: SingleBar | undefined;
  #shown = '';

  show(progress: Progress): void {
    if (this.#isTerminal) this.#showBar(progress);
    else this.#showStage(progress);
  }

  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }

  #showStage({ step, what }: Progress): void {
    const stage =
      step === 'comparing' ? 'Comparing source and target' : what === 'photos' ? 'Copying photos' : 'Copying rows';
    if (stage !== this.#shown) print(`${stage}\n`);
    this.#shown = stage;
  }

  #showBar({ step, what, done, total }: Progress): void {
    if (total === 0) return;
    const name = `${step} ${what}`;
    if (name !== this.#shown) {
      this.end();
      const format = `${name.padEnd(26)} {bar} {value}/{total}`;
      this.#bar = new SingleBar({ format, stream: process.stderr, gracefulExit: false });
      this.#bar.start(total, done);
      this.#shown = name;
    }
    this.#bar?.update(done);
  }
}
