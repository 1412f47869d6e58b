/*
 * What the build of the application tells the service, so that a page can be seen before the application is there (`http/web/first-view`): the classes of
 * its style sheets, which have digests in their names, and the texts that are seen first.
 */

/** Where the build leaves it. It is for the service alone: what begins with a dot is not served. */
export const LOOKS_FILE = '.vite/looks.json';

/** The files of texts that the first view takes some from. */
export const LOOKS_TEXTS = ['app', 'catalogue', 'pet', 'pet-page'] as const;

export interface Looks {
  /** The names of classes, by style sheet and by what its source calls them: `classes['design/page.module.css']['title']`. */
  classes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By language, then by file, as the files have them: `texts['en']['pet-page']`. */
  texts: Readonly<Record<string, Readonly<Record<string, LooksTexts>>>>;
}

export interface LooksTexts {
  readonly [key: string]: string | LooksTexts;
}
