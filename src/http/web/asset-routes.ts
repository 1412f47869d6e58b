import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SiteRecords } from '../../domain/organisation/site-records.ts';
import { encodingOf } from '../pipeline/negotiation.ts';
import { isUnchanged } from '../pets/pet-resource.ts';
import type { Mount } from '../pipeline/mount.ts';
import { refuseUnknownPath } from '../pipeline/failure-responses.ts';
import type { WebBuild, WebFile } from './web-build.ts';

const MANIFEST = '/manifest.webmanifest';

const FOREVER = 'public, max-age=31536000, immutable';

/** For files without a digest in their name: a day, so that new icons appear soon. Revalidation is cheap. */
const FOR_A_DAY = 'public, max-age=86400';

interface ManifestDeps {
  siteRecords: Pick<SiteRecords, 'getOrganisation'>;
  mount: Pick<Mount, 'path'>;
}

/** Serves the files of the web application. They are looked up in a map, so no file path is derived from a request. */
export function addAssetRoutes(
  app: FastifyInstance,
  { assets, rootFiles, basePath }: WebBuild,
  deps: Partial<ManifestDeps> = {},
): void {
  app.get('/assets/:name', (request, reply) => {
    const file = assets.get((request.params as { name: string }).name) ?? refuseUnknownPath();
    return sendFile(request, reply.header('cache-control', FOREVER), file);
  });
  for (const [path, builtFile] of rootFiles) {
    const ownManifest = path === MANIFEST ? ownManifests(builtFile, basePath, deps) : undefined;
    const builtTag = digestOf(builtFile.bytes);
    app.get(path, async (request, reply) => {
      const file = (await ownManifest?.()) ?? builtFile;
      const entityTag = file === builtFile ? builtTag : digestOf(file.bytes);
      const unchanged = isUnchanged(request.headers, entityTag);
      // A weak tag, because compressed and uncompressed bytes differ (RFC 9110, section 8.8.1).
      reply.headers({ etag: `W/"${entityTag}"`, 'cache-control': FOR_A_DAY });
      return unchanged ? varyByEncoding(reply).code(304).send() : sendFile(request, reply, file);
    });
  }
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

/**
 * Returns a function that writes the name of the organisation and the path of a mount into the manifest; undefined if
 * it has neither.
 */
function ownManifests({ bytes, mediaType }: WebFile, basePath: string, { siteRecords, mount }: Partial<ManifestDeps>) {
  const manifest = JSON.parse(bytes.toString('utf8')) as Readonly<Record<string, unknown>>;
  return async (): Promise<WebFile | undefined> => {
    const { name } = (await siteRecords?.getOrganisation())?.organisation ?? {};
    if (name === undefined && mount === undefined) return undefined;
    const start = `${basePath}${mount?.path() ?? ''}/`;
    const places = { id: start, start_url: start, scope: start };
    const own = { ...manifest, ...places, ...(name !== undefined && { name, short_name: name }) };
    return { mediaType, bytes: Buffer.from(JSON.stringify(own)), compressed: new Map() };
  };
}

function sendFile({ headers }: FastifyRequest, reply: FastifyReply, file: WebFile): FastifyReply {
  const encoding = encodingOf(headers, [...file.compressed.keys()]);
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  const bytes = encoding === undefined ? file.bytes : file.compressed.get(encoding);
  return varyByEncoding(reply).header('content-type', file.mediaType).send(bytes);
}

/** Overrides the common Vary header, because files do not depend on Accept. */
function varyByEncoding(reply: FastifyReply): FastifyReply {
  return reply.header('vary', 'Accept-Encoding');
}
