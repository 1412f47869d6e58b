import { Failure } from '../failure.ts';

/** Wakes the sender of this process when a message may have been queued. The senders of other processes poll. */
export class MailBell {
  readonly #isOn: () => boolean;
  #onRing = () => {};

  constructor(isOn: () => boolean) {
    this.#isOn = isOn;
  }

  /** Whether the service sends e-mail at this moment. Administrators can change it. */
  get isOn(): boolean {
    return this.#isOn();
  }

  ring(): void {
    this.#onRing();
  }

  listen(onRing: () => void): void {
    this.#onRing = onRing;
  }
}

export function noMail(): Failure {
  return new Failure(
    'conflict',
    'The service sends no e-mail. Set a mail server in the administration, or start it with --smtp-url.',
  );
}
