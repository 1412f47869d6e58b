import type { CDPSession, Page } from 'playwright-core';

/** The authenticator of Chromium's own for tests: it has a screen lock, and keeps passkeys as a phone does. */
export class VirtualAuthenticator {
  readonly #session: CDPSession;
  readonly #authenticatorId: string;

  private constructor(session: CDPSession, authenticatorId: string) {
    this.#session = session;
    this.#authenticatorId = authenticatorId;
  }

  /** It answers when `use` says so, as a user who touches it. */
  static async addTo(page: Page): Promise<VirtualAuthenticator> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: false,
      },
    });
    return new VirtualAuthenticator(session, authenticatorId);
  }

  /** The user touches it, or from now on, does not. */
  async touch(isTouched = true): Promise<void> {
    await this.#session.send('WebAuthn.setAutomaticPresenceSimulation', {
      authenticatorId: this.#authenticatorId,
      enabled: isTouched,
    });
  }

  async countCredentials(): Promise<number> {
    const { credentials } = await this.#session.send('WebAuthn.getCredentials', {
      authenticatorId: this.#authenticatorId,
    });
    return credentials.length;
  }

  /** The user has lost it. */
  async clear(): Promise<void> {
    await this.#session.send('WebAuthn.clearCredentials', { authenticatorId: this.#authenticatorId });
  }
}
