import type { Encoding } from '../negotiation.ts';

/** A file as it is sent, and compressed where that makes it smaller. */
export interface WebFile {
  mediaType: string;
  bytes: Buffer;
  compressed: ReadonlyMap<Encoding, Buffer>;
}

/** One piece of the application, as Vite tells of it in its manifest (https://vite.dev/guide/backend-integration). */
export interface WebPiece {
  file: string;
  isEntry?: boolean;
  /** Other pieces that it cannot do without, by their names. */
  imports?: readonly string[];
  css?: readonly string[];
}

/** The web application as it was built. */
export interface WebBuild {
  /** The page, with the marks for what differs from one answer to the next. */
  html: string;
  /** By source file: `pet/pet-page.tsx`. */
  pieces: Readonly<Record<string, WebPiece>>;
  /** By name. The name has a digest of the content in it: what is there never changes. */
  assets: ReadonlyMap<string, WebFile>;
  /** What has its place at the root, by path: `/favicon.svg`. */
  rootFiles: ReadonlyMap<string, WebFile>;
}

/** What a page loads before it is asked to. */
export interface Preloads {
  scripts: readonly string[];
  styles: readonly string[];
}

/** Of a piece that is loaded when it is needed: what it consists of, but for what the page has in itself. */
export function preloadsOf({ pieces }: Pick<WebBuild, 'pieces'>, source: string | undefined): Preloads {
  const wanted = source === undefined ? new Set<string>() : withImports(pieces, [source]);
  const entries = Object.keys(pieces).filter((name) => pieces[name]?.isEntry === true);
  const lacking = [...wanted.difference(withImports(pieces, entries))].flatMap((name) => pieces[name] ?? []);
  return {
    scripts: lacking.map(({ file }) => `/${file}`),
    styles: lacking.flatMap(({ css = [] }) => css.map((file) => `/${file}`)),
  };
}

function withImports(pieces: WebBuild['pieces'], names: readonly string[]): Set<string> {
  const met = new Set(names);
  // What is added to a set while it is gone through is met as well.
  for (const name of met) for (const imported of pieces[name]?.imports ?? []) met.add(imported);
  return met;
}
