import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/* An authenticator and its browser, in software: it makes the responses of WebAuthn (level 3, section 6). */

/** The part of the options that it needs, in their JSON form. */
export interface CreationOptions {
  challenge: string;
  rp: { id: string };
  user: { id: string; name: string };
  authenticatorSelection: { residentKey: string; userVerification: string };
  attestation: string;
  excludeCredentials?: readonly { id: string }[];
}

export interface RequestOptions {
  challenge: string;
  rpId: string;
  userVerification: string;
  allowCredentials?: readonly { id: string }[];
}

interface Credential {
  id: string;
  privateKey: KeyObject;
  userHandle: string;
  rpId: string;
}

/** The parts of a response that a test forges. */
export interface Forged {
  /** The site whose page asks. */
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  userHandle?: string | undefined;
  isVerified?: boolean;
  counter?: number;
  credentialId?: string;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;
const ES256 = -7;

export class Authenticator {
  readonly #origin: string;
  /** 0 for one that does not count. */
  counter: number;
  readonly #credentials: Credential[] = [];

  constructor(origin: string, counter = 1) {
    this.#origin = origin;
    this.counter = counter;
  }

  create(options: CreationOptions, forged: Forged = {}): Record<string, unknown> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const id = randomBytes(16);
    const rpId = forged.rpId ?? options.rp.id;
    this.#credentials.push({ id: id.toString('base64url'), privateKey, userHandle: options.user.id, rpId });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const key = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, ES256],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
        [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
      ]),
    );
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, key]);
    const authData = Buffer.concat([this.#authenticatorData(rpId, forged, HAS_CREDENTIAL), credential]);
    const attestationObject = isoCBOR.encode(
      new Map<string, string | Map<string, string> | Uint8Array>([
        ['fmt', 'none'],
        ['attStmt', new Map<string, string>()],
        ['authData', new Uint8Array(authData)],
      ]),
    );
    return this.#response(id.toString('base64url'), {
      clientDataJSON: this.#clientData('webauthn.create', options.challenge, forged).toString('base64url'),
      attestationObject: Buffer.from(attestationObject).toString('base64url'),
      transports: ['internal', 'hybrid'],
    });
  }

  get(options: RequestOptions, forged: Forged = {}): Record<string, unknown> {
    const allowed = options.allowCredentials?.map(({ id }) => id);
    const credential = this.#credentials.find(
      ({ id, rpId }) => rpId === options.rpId && (allowed?.includes(id) ?? true),
    );
    if (credential === undefined) throw new Error('The authenticator has no such passkey.');
    if (this.counter > 0 && forged.counter === undefined) this.counter++;
    const data = this.#authenticatorData(forged.rpId ?? credential.rpId, forged);
    const clientData = this.#clientData('webauthn.get', options.challenge, forged);
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    const handle = 'userHandle' in forged ? forged.userHandle : credential.userHandle;
    return this.#response(forged.credentialId ?? credential.id, {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, credential.privateKey).toString('base64url'),
      ...(handle !== undefined && { userHandle: handle }),
    });
  }

  #authenticatorData(rpId: string, { isVerified = true, counter = this.counter }: Forged, flags = 0): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const flag = Buffer.from([PRESENT | flags | (isVerified ? VERIFIED : 0)]);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), flag, count]);
  }

  #clientData(type: string, challenge: string, forged: Forged): Buffer {
    const { origin = this.#origin } = forged;
    const data = { type: forged.type ?? type, challenge: forged.challenge ?? challenge, origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(data));
  }

  #response(id: string, response: object): Record<string, unknown> {
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }
}
