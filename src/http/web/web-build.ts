import type { FirstViewModule } from '../../api/web/first-view.ts';
import type { Encoding } from '../pipeline/negotiation.ts';

/** A file of the build, with its compressed variants that are smaller. */
export interface WebFile {
  mediaType: string;
  bytes: Buffer;
  compressed: ReadonlyMap<Encoding, Buffer>;
}

/** A chunk in the manifest of Vite (https://vite.dev/guide/backend-integration). */
interface WebChunk {
  file: string;
  /** The names of the chunks that it imports. */
  imports?: readonly string[];
  /** Its style sheets. */
  css?: readonly string[];
}

export interface WebBuild {
  /** The path of the service, which the page and the manifest contain; empty at the root of a host. */
  basePath: string;
  /** The page, with placeholders for the variable content. */
  html: string;
  /** By source file, such as `pet/pet-page.tsx`. */
  chunks: Readonly<Record<string, WebChunk>>;
  renderFirstView: FirstViewModule['renderFirstView'];
  /** The files of the API page, such as `assets/docs-CzxXMCe.js`. */
  docs: { script: string; style: string };
  /** By name. Names contain a digest of the content, so the files never change. */
  assets: ReadonlyMap<string, WebFile>;
  /** Files at the root, by path, such as `/favicon.svg`. */
  rootFiles: ReadonlyMap<string, WebFile>;
}
