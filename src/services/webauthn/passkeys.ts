import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { NewCredential, WebAuthn } from '../../domain/sign-in/ports.ts';
import type { Passkey } from '../../domain/accounts/factors.ts';

const RP_NAME = 'Menagerie';

/** Time for a person to find a security key and its PIN. */
const TIMEOUT_MS = 5 * 60_000;

/**
 * EdDSA, ES256 and RS256 of COSE, which all authenticators have. Without a list, the library asks Node for experimental
 * algorithms, which warns in the log.
 */
const ALGORITHMS = [-8, -7, -257];

export const passkeys: WebAuthn = {
  async startRegistration({ rpId }, { handle, name }, existing) {
    const options = await generateRegistrationOptions({
      rpName: RP_NAME,
      rpID: rpId,
      userName: name,
      userID: bytesOf(handle),
      timeout: TIMEOUT_MS,
      attestationType: 'none',
      excludeCredentials: existing.map(descriptorOf),
      supportedAlgorithmIDs: ALGORITHMS,
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    return { challenge: options.challenge, options };
  },

  async checkRegistration({ rpId, origin }, challenge, sent): Promise<NewCredential | undefined> {
    const response = sent as unknown as RegistrationResponseJSON;
    const result = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch(() => undefined);
    if (result?.verified !== true) return undefined;
    const { credential, credentialDeviceType } = result.registrationInfo;
    return {
      credential: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: (credential.transports ?? []).filter((transport) => /^[\w-]{1,32}$/.test(transport)),
      isSynced: credentialDeviceType === 'multiDevice',
    };
  },

  async startAssertion({ rpId }, allowed, challenge) {
    const options = await generateAuthenticationOptions({
      rpID: rpId,
      timeout: TIMEOUT_MS,
      userVerification: 'required',
      ...(challenge !== undefined && { challenge: bytesOf(challenge) }),
      ...(allowed !== undefined && { allowCredentials: allowed.map(descriptorOf) }),
    });
    return { challenge: options.challenge, options };
  },

  async checkAssertion({ rpId, origin }, challenge, passkey, sent) {
    const response = sent as unknown as AuthenticationResponseJSON;
    const { credential: id, publicKey, counter } = passkey;
    const result = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      credential: { id, publicKey: bytesOf(publicKey), counter },
      requireUserVerification: true,
    }).catch(() => undefined);
    return result?.verified === true ? result.authenticationInfo.newCounter : undefined;
  },
};

function descriptorOf({ credential, transports }: Passkey) {
  return { id: credential, transports: [...transports] };
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64url, 'base64url'));
}
