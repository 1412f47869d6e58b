import {
  AddedFactor,
  AddedPasskey,
  Factors,
  Passkey,
  PasskeyCreation,
  PasskeyRequest,
  RecoveryCodes,
  SentPasskey,
  SentPasskeyName,
  SentProof,
  SentSignInCode,
  SentSignInPasskey,
  SentTotpCode,
  SignIn,
  TotpSetup,
} from '../../records/factors.ts';
import { ApiResponse } from '../../records/api-response.ts';
import { SentCredentials } from '../../records/user.ts';
import * as Type from '../../records/type.ts';
import { json, jsonBody, type OperationDescription } from '../parts/format.ts';
import { PASSKEY_ID } from '../parts/parameters.ts';

const LOGGED_IN = json(SignIn, 'The session.', 'Set-Cookie', 'X-Expires-After', 'X-Rate-Limit', 'RateLimit-Policy');
const OK = json(ApiResponse, 'Success. The message is `ok`.');

const WRONG = 'The step is complete or has expired, or the code or passkey was not accepted';
const NO_SITE = 'Passkeys are not possible here: they require https and `--public-url`, or `http://localhost`';
const ATTEMPTS = 'Too many attempts';
export const NOT_PROVED =
  'The session was not proved in the last 15 minutes: see `X-Proof-Required`; or the usual reasons';
const NO_PASSKEY = 'Passkey not found';

/** Logins in several steps, and the factors of the own account. */
export const SIGN_IN_OPERATIONS = {
  signInWithPassword: {
    group: 'sign-in',
    summary: 'Log in with a password, and possibly a second factor',
    description:
      'For an account without a second factor, starts a session. Otherwise, returns `step`, with which ' +
      '`signInWithCode` or `signInWithPasskey` completes the login.',
    body: jsonBody(SentCredentials),
    responses: {
      200: json(
        SignIn,
        'The session, or the step.',
        'Set-Cookie',
        'X-Expires-After',
        'X-Rate-Limit',
        'RateLimit-Policy',
      ),
    },
    failures: { 400: 'Invalid username/password supplied', 429: ATTEMPTS },
  },
  signInWithCode: {
    group: 'sign-in',
    summary: 'Complete a login with a code',
    description: 'Takes a one-time code (`totp`) or a recovery code. Each works once. A wrong code leaves the step.',
    body: jsonBody(SentSignInCode),
    responses: { 200: LOGGED_IN },
    failures: { 400: WRONG, 429: ATTEMPTS },
  },
  startPasskeySignIn: {
    group: 'sign-in',
    summary: 'Begin a login with a passkey alone',
    description: 'No user name is needed: the passkey knows it.',
    responses: { 200: json(PasskeyRequest, 'What the browser needs.') },
    failures: { 400: NO_SITE },
  },
  signInWithPasskey: {
    group: 'sign-in',
    summary: 'Complete a login with a passkey',
    description: 'After `startPasskeySignIn`, or as the second factor after `signInWithPassword`.',
    body: jsonBody(SentSignInPasskey),
    responses: { 200: LOGGED_IN },
    failures: { 400: WRONG, 429: ATTEMPTS },
  },
  startPasskeyProof: {
    group: 'account',
    summary: 'Begin a proof with a passkey',
    description: '`proveOwnership` completes it.',
    responses: { 200: json(PasskeyRequest, 'What the browser needs.') },
    failures: { 400: NO_SITE },
  },
  proveOwnership: {
    group: 'account',
    summary: 'Prove that it is you',
    description:
      'For changes that need a proof in the last 15 minutes. Takes one of `password`, `factor` with `code`, and ' +
      '`step` with `credential`.',
    body: jsonBody(SentProof),
    responses: { 200: OK },
    failures: { 400: 'The password, the code or the passkey was not accepted', 404: 'User not found', 429: ATTEMPTS },
  },
  getFactors: {
    group: 'account',
    summary: 'Get your second factors',
    description: 'What you can log in with besides the password.',
    responses: { 200: json(Factors, 'The factors, without their secrets.') },
  },
  startTotp: {
    group: 'account',
    summary: 'Begin to set up one-time codes',
    description: 'Returns a secret for an authenticator app. It is in use only after `confirmTotp`.',
    responses: { 200: json(TotpSetup, 'The secret. It is shown only once.') },
    failures: { 403: NOT_PROVED },
  },
  confirmTotp: {
    group: 'account',
    summary: 'Confirm one-time codes with a code',
    description: 'The first second factor of an account ends its other sessions.',
    body: jsonBody(SentTotpCode),
    responses: { 200: json(AddedFactor, 'One-time codes are in use.') },
    failures: { 400: WRONG, 409: 'One-time codes are set up already, or the step was completed' },
  },
  deleteTotp: {
    group: 'account',
    summary: 'Remove one-time codes',
    description:
      'Removing the last second factor also deletes the recovery codes, and sessions no longer count as proved with one.',
    responses: { 200: OK },
    failures: { 403: NOT_PROVED, 404: 'One-time codes are not set up' },
  },
  replaceRecoveryCodes: {
    group: 'account',
    summary: 'Replace your recovery codes',
    description: 'Earlier codes stop working.',
    responses: { 200: json(RecoveryCodes, 'The new codes. They are shown only once.') },
    failures: { 403: NOT_PROVED, 409: 'The account has no second factor' },
  },
  listPasskeys: {
    group: 'account',
    summary: 'List your passkeys',
    description: 'Their names, and when they were used.',
    responses: { 200: json(Type.Array(Passkey), 'The passkeys, oldest first.') },
  },
  startPasskey: {
    group: 'account',
    summary: 'Begin to add a passkey',
    description: '`addPasskey` completes it.',
    responses: { 200: json(PasskeyCreation, 'What the browser needs.') },
    failures: { 400: NO_SITE, 403: NOT_PROVED },
  },
  addPasskey: {
    group: 'account',
    summary: 'Add a passkey',
    description: 'The first second factor of an account ends its other sessions.',
    body: jsonBody(SentPasskey),
    responses: { 200: json(AddedPasskey, 'The passkey.') },
    failures: { 400: WRONG, 409: 'The passkey is known, the account has 20, or the step was completed' },
  },
  renamePasskey: {
    group: 'account',
    summary: 'Rename a passkey',
    description: 'The name is only for you.',
    path: PASSKEY_ID,
    body: jsonBody(SentPasskeyName),
    responses: { 200: OK },
    failures: { 404: NO_PASSKEY },
  },
  deletePasskey: {
    group: 'account',
    summary: 'Delete a passkey',
    description:
      'Deleting the last second factor also deletes the recovery codes, and sessions no longer count as proved with one.',
    path: PASSKEY_ID,
    responses: { 200: OK },
    failures: { 403: NOT_PROVED, 404: NO_PASSKEY, 409: 'It is the only way to log in to the account' },
  },
} as const satisfies Record<string, OperationDescription>;
