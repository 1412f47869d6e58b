import { FACTORS, type Factor } from '../../domain/access.ts';
import { FACTOR_LIMITS, type Passkey as OwnPasskey } from '../../domain/accounts/factors.ts';
import { USER_LIMITS } from '../../domain/accounts/user.ts';
import type { StartedSession } from '../../domain/accounts/session-start.ts';
import { CODE_FACTORS, type CodeFactor } from '../../domain/sign-in/code-check.ts';
import type { AddedFactor as Added, FactorsView, TotpStep } from '../../domain/sign-in/own-factors.ts';
import type { AddedPasskey as NewPasskey } from '../../domain/sign-in/own-passkeys.ts';
import type { PasskeyStep, SignInOutcome } from '../../domain/sign-in/sign-in.ts';
import { absent, count, exactly, nonEmptyText, optionalTime, text, time, timeText } from './fields.ts';
import { JsonText, recordText } from './record-text.ts';
import * as Type from './type.ts';

/*
 * Second factors and passkeys: how they are set up, and logins with them.
 */

const factors = Type.Unsafe<readonly Factor[]>({ type: 'array', items: { type: 'string', enum: [...FACTORS] } });
const step = Type.String({ description: 'The token with which the step is completed, once.' });
const stepExpiresAt = time('The time at which the step expires.');
const recoveryCodes = Type.Array(Type.String(), {
  description: 'Each replaces the second factor once. They are shown only once.',
});

/** An object of WebAuthn in its JSON form, whose fields browsers know. */
const webAuthnJson = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', description });

export const SignIn = Type.Object(
  {
    token: Type.Optional(
      Type.String({ description: 'The session token, if the login is complete. Browsers get it as a cookie.' }),
    ),
    expiresAt: time('The time at which the session, or the step, expires.'),
    step: Type.Optional(
      Type.String({ description: 'The token of the next step, if the account has a second factor.' }),
    ),
    factors: Type.Optional(factors),
    passkeyOptions: Type.Optional(
      webAuthnJson('For `PublicKeyCredential.parseRequestOptionsFromJSON()`, if a passkey completes the login.'),
    ),
  },
  exactly('SignIn'),
);
export type SignIn = Type.Static<typeof SignIn>;

export const PasskeyRequest = Type.Object(
  {
    step,
    expiresAt: stepExpiresAt,
    options: webAuthnJson('For `PublicKeyCredential.parseRequestOptionsFromJSON()`.'),
  },
  exactly('PasskeyRequest'),
);
export type PasskeyRequest = Type.Static<typeof PasskeyRequest>;

export const PasskeyCreation = Type.Object(
  {
    step,
    expiresAt: stepExpiresAt,
    options: webAuthnJson('For `PublicKeyCredential.parseCreationOptionsFromJSON()`.'),
  },
  exactly('PasskeyCreation'),
);
export type PasskeyCreation = Type.Static<typeof PasskeyCreation>;

export const Passkey = Type.Object(
  {
    id: Type.String({ description: 'The public id. It gives no access.' }),
    name: Type.String(),
    synced: Type.Boolean({ description: 'Whether its owner can use it on several devices.' }),
    createdAt: time('The time of creation.'),
    lastUsedAt: Type.Optional(time('The time of the last use.')),
  },
  exactly('Passkey'),
);
export type Passkey = Type.Static<typeof Passkey>;

export const AddedPasskey = Type.Object(
  { passkey: Passkey, recoveryCodes: Type.Optional(recoveryCodes) },
  exactly('AddedPasskey'),
);
export type AddedPasskey = Type.Static<typeof AddedPasskey>;

export const Factors = Type.Object(
  {
    totp: Type.Optional(
      Type.Object({ createdAt: time('The time of creation.') }, { ...exactly('Totp'), description: 'One-time codes.' }),
    ),
    recoveryCodes: Type.Object(
      { total: count('The number of codes.'), left: count('The number of codes that were not used.') },
      exactly('RecoveryCodeCount'),
    ),
    passkeys: Type.Array(Passkey),
    required: Type.Boolean({ description: 'Whether the role of the account requires a second factor.' }),
  },
  exactly('Factors'),
);
export type Factors = Type.Static<typeof Factors>;

export const TotpSetup = Type.Object(
  {
    step,
    expiresAt: stepExpiresAt,
    secret: Type.String({ description: 'In base32, to type into an authenticator app.' }),
    uri: Type.String({ format: 'uri', description: 'The secret as an `otpauth:` URI, to show as a QR code.' }),
  },
  exactly('TotpSetup'),
);
export type TotpSetup = Type.Static<typeof TotpSetup>;

export const AddedFactor = Type.Object({ recoveryCodes: Type.Optional(recoveryCodes) }, exactly('AddedFactor'));
export type AddedFactor = Type.Static<typeof AddedFactor>;

export const RecoveryCodes = Type.Object({ recoveryCodes }, exactly('RecoveryCodes'));
export type RecoveryCodes = Type.Static<typeof RecoveryCodes>;

/** @param token the session token in the form of a login response */
export function sessionText(token: string, { endsAtMs }: StartedSession): string {
  return recordText<SignIn>({
    token,
    expiresAt: timeText(endsAtMs),
    step: undefined,
    factors: undefined,
    passkeyOptions: undefined,
  });
}

export function secondFactorText({ step }: Extract<SignInOutcome, { step: unknown }>): string {
  const { token, expiresAtMs, factors, passkeyOptions } = step;
  return recordText<SignIn>({
    token: undefined,
    expiresAt: timeText(expiresAtMs),
    step: token,
    factors,
    passkeyOptions: passkeyOptions as SignIn['passkeyOptions'],
  });
}

export function passkeyStepText({ token, expiresAtMs, options }: PasskeyStep): string {
  const json = options as PasskeyRequest['options'];
  return recordText<PasskeyRequest>({ step: token, expiresAt: timeText(expiresAtMs), options: json });
}

function passkeyText({ id, name, isSynced, createdAtMs, lastUsedAtMs }: OwnPasskey): string {
  return recordText<Passkey>({
    id,
    name,
    synced: isSynced,
    createdAt: timeText(createdAtMs),
    lastUsedAt: optionalTime(lastUsedAtMs),
  });
}

export function passkeysText(passkeys: readonly OwnPasskey[]): string {
  return `[${passkeys.map(passkeyText).join()}]`;
}

export function addedPasskeyText({ passkey, recoveryCodes: codes }: NewPasskey): string {
  return recordText<AddedPasskey>({ passkey: new JsonText(passkeyText(passkey)), recoveryCodes: codes });
}

export function factorsText({ totp, recoveryCodes: { total, left }, passkeys, isRequired }: FactorsView): string {
  return recordText<Factors>({
    totp: totp && { createdAt: timeText(totp.createdAtMs) },
    recoveryCodes: { total, left },
    passkeys: new JsonText(passkeysText(passkeys)),
    required: isRequired,
  });
}

export function totpSetupText({ token, expiresAtMs, secret, uri }: TotpStep): string {
  return recordText<TotpSetup>({ step: token, expiresAt: timeText(expiresAtMs), secret, uri });
}

export function addedFactorText({ recoveryCodes: codes }: Added): string {
  return recordText<AddedFactor>({ recoveryCodes: codes });
}

export function recoveryCodesText(codes: readonly string[]): string {
  return recordText<RecoveryCodes>({ recoveryCodes: codes });
}

const object = (title: string) => ({ title, message: 'must be a JSON object' });

const sentStep = text(USER_LIMITS.fieldLength);
const code = text(USER_LIMITS.fieldLength);
const credential = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  description: 'The result of `toJSON()` of the credential.',
  message: 'must be a JSON object',
});
const factor = Type.Unsafe<CodeFactor>({ enum: CODE_FACTORS, message: `must be one of ${CODE_FACTORS.join(', ')}` });

export const SentSignInCode = Type.Object({ step: sentStep, factor, code }, object('SentSignInCode'));
export type SentSignInCode = Type.Static<typeof SentSignInCode>;

export const SentSignInPasskey = Type.Object({ step: sentStep, credential }, object('SentSignInPasskey'));
export type SentSignInPasskey = Type.Static<typeof SentSignInPasskey>;

export const SentTotpCode = Type.Object({ step: sentStep, code }, object('SentTotpCode'));
export type SentTotpCode = Type.Static<typeof SentTotpCode>;

const name = nonEmptyText(FACTOR_LIMITS.passkeyNameLength);

export const SentPasskey = Type.Object({ step: sentStep, name, credential }, object('SentPasskey'));
export type SentPasskey = Type.Static<typeof SentPasskey>;

export const SentPasskeyName = Type.Object({ name }, object('SentPasskeyName'));
export type SentPasskeyName = Type.Static<typeof SentPasskeyName>;

/** One of: a password, a code with its factor, or a passkey with its step. */
export const SentProof = Type.Object(
  {
    password: absent(text(USER_LIMITS.passwordLength)),
    factor: absent(factor),
    code: absent(code),
    step: absent(sentStep),
    credential: absent(credential),
  },
  object('SentProof'),
);
export type SentProof = Type.Static<typeof SentProof>;
