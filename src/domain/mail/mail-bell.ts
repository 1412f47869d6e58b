/** Wakes the sender of this process when a message may have been queued. The senders of other processes poll. */
export class MailBell {
  #onRing = () => {};

  ring(): void {
    this.#onRing();
  }

  listen(onRing: () => void): void {
    this.#onRing = onRing;
  }
}
