import type { FirstViewModule } from '../../api/web/first-view.ts';
import type { Encoding } from '../answer.ts';

/** A file as it is sent, and compressed where that makes it smaller. */
export interface WebFile {
  mediaType: string;
  bytes: Buffer;
  compressed: ReadonlyMap<Encoding, Buffer>;
}

/** One piece of the application, as Vite tells of it in its manifest (https://vite.dev/guide/backend-integration). */
export interface WebPiece {
  file: string;
  /** Other pieces that it cannot do without, by their names. */
  imports?: readonly string[];
}

/** The web application as it was built. */
export interface WebBuild {
  /** The page, with the marks for what differs from one answer to the next. */
  html: string;
  /** By source file: `pet/pet-page.tsx`. */
  pieces: Readonly<Record<string, WebPiece>>;
  renderFirstView: FirstViewModule['renderFirstView'];
  /** By name. The name has a digest of the content in it: what is there never changes. */
  assets: ReadonlyMap<string, WebFile>;
  /** What has its place at the root, by path: `/favicon.svg`. */
  rootFiles: ReadonlyMap<string, WebFile>;
}
