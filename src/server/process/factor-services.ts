import type { OneTimeCodes, WebAuthn } from '../../domain/sign-in/ports.ts';

/*
 * The libraries are loaded on first use: few requests need them, and that of passkeys takes 9 MiB and 0.1 s or more.
 */

const loadCodes = () => import('../../services/totp/one-time-codes.ts');
const loadPasskeys = async () => (await import('../../services/webauthn/passkeys.ts')).passkeys;

export const oneTimeCodes: OneTimeCodes = {
  create: async (...names) => (await loadCodes()).createTotp(...names),
  stepOf: async (...code) => (await loadCodes()).stepOfCode(...code),
};

export const webAuthn: WebAuthn = {
  startRegistration: async (...site) => (await loadPasskeys()).startRegistration(...site),
  checkRegistration: async (...sent) => (await loadPasskeys()).checkRegistration(...sent),
  startAssertion: async (...site) => (await loadPasskeys()).startAssertion(...site),
  checkAssertion: async (...sent) => (await loadPasskeys()).checkAssertion(...sent),
};
