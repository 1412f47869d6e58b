import type { Role } from '../access.ts';
import type { UserProfile } from '../accounts/user.ts';
import { USER_LIMITS, USER_STATUS_ACTIVE } from '../accounts/user.ts';
import { isMailAddress } from '../mail/mail-address.ts';
import { findUsernameFault } from '../accounts/username-rules.ts';
import type { SignInFailure } from './sign-in-failure.ts';

/** An OpenID Connect provider, as the operator has configured it. */
export interface Provider {
  /** Its name in settings and paths. */
  name: string;
  /** Its name on pages. */
  label: string;
  /** A URL: the beginning of its discovery document's address. */
  issuer: string;
  clientId: string;
  /** Undefined for a public client. Secret. */
  clientSecret: string | undefined;
  /** Separated by spaces. */
  scopes: string;
  /** Whether a person without an account gets one. */
  signUp: boolean;
  /** Whether its login counts as two factors: always, never, or if `acr` or `amr` has one of these values. */
  secondFactor: boolean | readonly string[];
  /** Undefined if the provider decides nothing about roles. */
  roles: RoleMapping | undefined;
}

/** The form in which issuers are compared: that of `https://login.example.org` has a slash at its end. */
export function issuerKey(issuer: string): string {
  return new URL(issuer).href;
}

export interface RoleMapping {
  /** The name of a claim, or a path of names separated by dots. */
  claim: string;
  /** The role for each value of the claim, which is in NFC. */
  values: Readonly<Record<string, Role>>;
}

export type Claims = Readonly<Record<string, unknown>>;

/** Who a person is at a provider. The service that returns it has verified everything. */
export interface ProviderIdentity {
  issuer: string;
  /** Unique for the issuer, and never given to another person (OpenID Connect Core 1.0, section 2). */
  subject: string;
  /** The claims of the ID token, which is signed. */
  idToken: Claims;
  /** The claims of the ID token and of the response about the user. */
  claims: Claims;
  /** Why `claims` has only those of the ID token. */
  userInfoFailure: SignInFailure | undefined;
}

/** A person at a provider who can log in to an account. */
export interface ProviderLogin {
  issuer: string;
  subject: string;
  /** How the provider names the person. It decides nothing. */
  name: string;
  createdAtMs: number;
  lastUsedAtMs: number | undefined;
}

export const PROVIDER_LIMITS = { providers: 20, loginsOfAccount: 20 } as const;

/** Whether the provider has checked two factors. */
export function isTwoFactors({ secondFactor }: Provider, { idToken }: ProviderIdentity): boolean {
  if (typeof secondFactor === 'boolean') return secondFactor;
  return [...valuesOf(idToken['acr']), ...valuesOf(idToken['amr'])].some((value) => secondFactor.includes(value));
}

function valuesOf(claim: unknown): readonly string[] {
  return [claim].flat().filter((value) => typeof value === 'string');
}

const NAME_CLAIMS = ['preferred_username', 'nickname', 'email', 'name'] as const;

/** How the provider names the person, for the list of the account. */
export function nameOf({ subject, claims }: ProviderIdentity): string {
  return namesIn(claims)[0] ?? subject.slice(0, USER_LIMITS.fieldLength);
}

/** Whether a new account of the person can have a name that means something. */
export function isNamed({ claims }: ProviderIdentity): boolean {
  return namesIn(claims).length > 0;
}

function namesIn(claims: Claims): readonly string[] {
  return NAME_CLAIMS.flatMap((claim) => plainClaim(claims[claim]) ?? []);
}

/** The profile of the new account of a person, without the user name. */
export function profileOf({ claims }: ProviderIdentity): Omit<UserProfile, 'username'> {
  return {
    firstName: plainClaim(claims['given_name']),
    lastName: plainClaim(claims['family_name']),
    email: emailIn(claims),
    userStatus: USER_STATUS_ACTIVE,
  };
}

/** The address that the provider has confirmed. Some, such as Cognito, say so with a text. */
export function confirmedEmailOf({ claims }: ProviderIdentity): string | undefined {
  const isVerified = claims['email_verified'];
  return isVerified === true || isVerified === 'true' ? emailIn(claims) : undefined;
}

/** Some providers have another text there, which would be shown as an address, and get messages. */
function emailIn(claims: Claims): string | undefined {
  const email = plainClaim(claims['email']);
  return email !== undefined && isMailAddress(email) ? email : undefined;
}

function plainClaim(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const text = claim
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
  return text === '' || text.length > USER_LIMITS.fieldLength ? undefined : text;
}

/** Not at its ends: a user name there could be another one with an invisible difference. */
const UNUSABLE = /[/\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029]+/gu;
const FALLBACK = 'user';
/** Leaves space for a number, and for the longer form of some characters. */
const BASE_LENGTH = USER_LIMITS.usernameLength - 16;

/** User names for a new account, in the order in which to try them. */
export function* usernamesFor({ claims }: ProviderIdentity, random: () => string): Generator<string> {
  const [name, email] = [plainClaim(claims['preferred_username']), emailIn(claims)];
  const wanted = name ?? email?.split('@')[0] ?? plainClaim(claims['name']) ?? FALLBACK;
  const cleaned = Array.from(wanted.normalize('NFKC').replaceAll(UNUSABLE, ' ')).slice(0, BASE_LENGTH).join('').trim();
  const base = findUsernameFault(cleaned) === 'malformed' ? FALLBACK : cleaned;
  if (findUsernameFault(base) === undefined) yield base;
  for (let number = 2; number < 10; number += 1) yield `${base}-${number}`;
  for (let tries = 0; tries < 5; tries += 1) yield `${base}-${random().slice(0, 8)}`;
}
