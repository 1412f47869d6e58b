import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AccessMode } from '../../domain/access.ts';
import { basePathOf } from '../pipeline/base-path.ts';
import { sendText } from '../pipeline/response.ts';
import { SITEMAP_PATH } from './sitemap.ts';

/* Text files at fixed addresses: for crawlers (RFC 9309), and for people who report a vulnerability (RFC 9116). */

export interface FixedFileSettings {
  access: AccessMode;
  publicUrl: string | undefined;
  /** Where to report vulnerabilities, as a URI. */
  securityContact: string | undefined;
}

const TYPE = 'text/plain; charset=utf-8';

const FOR_A_DAY = 'public, max-age=86400';

/** The longest rule that matches a path counts, so the reads of the pages are excepted from the rule for the API. */
const RULES = [
  // The photos, and the requests of the pages, which search engines run.
  'Allow: {base}/v2/photo/',
  'Allow: {base}/v2/pet',
  'Allow: {base}/v2/facets',
  // All pets at once, and combinations of filters, of which there are too many.
  'Disallow: {base}/v2/pet/findBy',
  'Disallow: {base}/v2/',
  'Disallow: {base}/*?*&',
  // Visitors see no links to these pages. Others are marked as `noindex`, which a crawler has to read.
  'Disallow: {base}/admin/',
  'Disallow: {base}/account',
  'Disallow: {base}/metrics',
];

export function addRobots(
  app: FastifyInstance,
  { access, publicUrl }: FixedFileSettings,
  baseOf: (request: FastifyRequest) => string,
): void {
  const path = basePathOf(publicUrl);
  // In sandbox access, anyone may write anything into the catalogue.
  const rules = access === 'sandbox' ? ['Disallow: /'] : RULES.map((rule) => rule.replace('{base}', path));
  app.get('/robots.txt', (request, reply) => {
    const sitemap = access === 'sandbox' ? [] : ['', `Sitemap: ${baseOf(request)}${SITEMAP_PATH}`];
    const text = ['User-agent: *', ...rules, ...sitemap, ''].join('\n');
    return sendText(reply.header('cache-control', FOR_A_DAY), text, TYPE);
  });
}

const SECURITY_PATH = '/.well-known/security.txt';

const DAY_MS = 86_400_000;

/** RFC 9116, section 2.5.5, recommends less than a year. The file is written for each request, so it never expires. */
const VALID_DAYS = 180;

export function addSecurityContact(app: FastifyInstance, { publicUrl, securityContact }: FixedFileSettings): void {
  if (securityContact === undefined) return;
  app.get(SECURITY_PATH, (_request, reply) => {
    const today = Math.floor(Date.now() / DAY_MS);
    const lines = [
      `Contact: ${securityContact}`,
      `Expires: ${new Date((today + VALID_DAYS) * DAY_MS).toISOString().replace('.000', '')}`,
      ...(publicUrl === undefined ? [] : [`Canonical: ${publicUrl}${SECURITY_PATH}`]),
      '',
    ];
    return sendText(reply.header('cache-control', FOR_A_DAY), lines.join('\n'), TYPE);
  });
}
