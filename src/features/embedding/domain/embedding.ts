import { invalidInput } from '../../../domain/failure.ts';
import type { SiteRecord } from '../../../domain/organisation/ports.ts';

/* The websites that may show the pets in a frame. */

/** `listed`: only those whose origin is in the list. */
export const EMBEDDING_SITES = ['all', 'none', 'listed'] as const;

export type EmbeddingSites = (typeof EMBEDDING_SITES)[number];

export const EMBEDDING_LIMITS = { origins: 50, originLength: 255 } as const;

export interface Embedding {
  sites: EmbeddingSites;
  /** Such as `https://www.example.org`. Kept if `sites` is not `listed`. */
  origins: readonly string[];
}

/** The pages for frames are public, read-only and without actions, so that framing them gains an attacker nothing. */
const DEFAULT_EMBEDDING: Embedding = { sites: 'all', origins: [] };

export function embeddingIn(record: SiteRecord | undefined): Embedding {
  return record === undefined ? DEFAULT_EMBEDDING : (JSON.parse(record.text) as Embedding);
}

/**
 * The stored value: each origin once, in the form of browsers.
 *
 * @throws Failure `invalid-input`, naming every wrong origin
 */
export function embeddingOf(sites: EmbeddingSites, sent: readonly string[]): Embedding {
  const origins = sent.map(originOf);
  const problems = origins.flatMap((origin, index) =>
    origin === undefined ? [{ path: `/origins/${index}`, message: WRONG_ORIGIN }] : [],
  );
  if (sites === 'listed' && sent.length === 0)
    problems.push({ path: '/origins', message: 'must have at least one origin if sites is listed' });
  if (problems.length > 0) throw invalidInput(problems);
  return { sites, origins: [...new Set(origins.filter((origin) => origin !== undefined))] };
}

const WRONG_ORIGIN = 'must be the beginning of an address, such as https://www.example.org, without a path';

/**
 * A host that content security policies can express: no address of IPv6, no wildcard, and none of the separators of a
 * policy, which are allowed in the host of a URL.
 */
const ORIGIN = /^https?:\/\/[a-z0-9._-]+(?::\d+)?$/;

/** Undefined for anything but an origin. A slash at the end is allowed. */
function originOf(text: string): string | undefined {
  const trimmed = text.trim();
  const url = URL.parse(trimmed);
  if (url === null || !ORIGIN.test(url.origin) || /[?#]/.test(trimmed)) return undefined;
  return url.href === `${url.origin}/` ? url.origin : undefined;
}
