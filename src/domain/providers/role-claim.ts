import { ROLES, type Role } from '../access.ts';
import { foldedText } from '../text.ts';
import type { Claims, Provider, ProviderIdentity, RoleMapping } from './provider.ts';

/* The role that a claim of a provider gives to a person. */

export interface RoleDecision {
  /** The highest role of the claim's values, or viewer without any. Undefined if the account keeps its role. */
  role: Role | undefined;
  /** For the log: why the claim may not have the effect that the operator expects. */
  warning: string | undefined;
}

const NOTHING: RoleDecision = { role: undefined, warning: undefined };

/**
 * Decides nothing without the claim: providers leave it out for reasons that have nothing to do with the person, such
 * as its size. A provider takes a role away with an empty list, or with other values.
 */
export function roleOf({ roles }: Pick<Provider, 'roles'>, { claims }: Pick<ProviderIdentity, 'claims'>): RoleDecision {
  if (roles === undefined) return NOTHING;
  const claim = claimAt(claims, roles.claim);
  if (claim === undefined || claim === null) return { ...NOTHING, warning: missingClaim(claims, roles) };
  const values = valuesOf(claim, roles);
  if (values === undefined)
    return { ...NOTHING, warning: `the claim "${roles.claim}" is neither a text nor a list of texts or named objects` };
  const given = values.map((value) => mappedRole(roles, value));
  const role = ROLES.findLast((candidate) => given.includes(candidate)) ?? ROLES[0];
  return { role, warning: similarValues(values, roles) };
}

/** A claim may have dots in its name, as URLs have. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>(ownField, claims);
}

function ownField(value: unknown, name: string): unknown {
  const isRecord = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isRecord ? (value as Claims)[name] : undefined;
}

/** Entra ID has the address of a list with more than 200 groups instead (OpenID Connect Core 1.0, section 5.6.2). */
function missingClaim(claims: Claims, { claim }: RoleMapping): string {
  const isElsewhere = ownField(claims['_claim_names'], claim) !== undefined;
  return isElsewhere
    ? `the claim "${claim}" is missing: the provider has too many values for it (_claim_names)`
    : `the claim "${claim}" is missing`;
}

/** Undefined if no form is known. A text is one value, or several with commas. */
function valuesOf(claim: unknown, { values }: RoleMapping): readonly string[] | undefined {
  if (typeof claim === 'string' && !Object.hasOwn(values, claim.normalize('NFC')))
    return claim
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== '');
  const list = [claim].flat();
  const texts = list.map((each) => (typeof each === 'string' ? each : ownField(each, 'name')));
  const known = texts.filter((text) => typeof text === 'string');
  return known.length === 0 && list.length > 0 ? undefined : known;
}

/** A group at the top may have the form of a path, as in Keycloak. One below another group is a different group. */
const TOP_PATH = /^\/(?=[^/]+$)/;

/** Compares exactly, because people may create groups whose names are similar. */
function mappedRole({ values }: RoleMapping, value: string): Role | undefined {
  const text = value.normalize('NFC');
  const name = Object.hasOwn(values, text) ? text : text.replace(TOP_PATH, '');
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

const MAX_SIMILAR = 5;
const MAX_COMPARED = 1000;
const MAX_VALUE = 200;

/** The other groups of a person are nobody's business. */
function similarValues(values: readonly string[], roles: RoleMapping): string | undefined {
  const names = Object.keys(roles.values).map((name) => [name, comparable(name)] as const);
  const similar = values.slice(0, MAX_COMPARED).flatMap((value) => {
    if (mappedRole(roles, value) !== undefined) return [];
    const shown = value.slice(0, MAX_VALUE);
    const text = comparable(shown);
    const [name] = names.find(([, wanted]) => wanted.trim() !== '' && text.includes(wanted)) ?? [];
    return name === undefined ? [] : [`${JSON.stringify(printable(shown))} is not ${JSON.stringify(name)}`];
  });
  const shown = similar.slice(0, MAX_SIMILAR).join(', ');
  return shown === '' ? undefined : `values of the claim "${roles.claim}" are similar to those with a role: ${shown}`;
}

/** The words without case, with a space on both sides of each. */
function comparable(text: string): string {
  return ` ${foldedText(text)
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()} `;
}

/** Without characters that could change other lines of a log. */
function printable(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ');
}
