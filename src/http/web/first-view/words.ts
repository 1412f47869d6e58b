import type { Looks, LooksTexts } from '../../../api/web/looks.ts';
import type { Language } from '../../../api/web/languages.ts';
import { textOf, type Html } from '../html.ts';

/** Where a text stands: the file, then the keys in it. */
export type TextPath = readonly [file: string, ...keys: string[]];

/** The class of the first view as a whole. */
export const FIRST_VIEW_CLASS = 'first-view';

/** Returns a function that gives the texts of one language. It throws an Error for a missing text: then this is the build of another version. */
export function createWords({ texts }: Pick<Looks, 'texts'>, language: Language) {
  return (...path: TextPath): Html => textOf(textAt(texts[language] ?? {}, path));
}

function textAt(files: LooksTexts, path: TextPath): string {
  const found = path.reduce<string | LooksTexts | undefined>(
    (texts, key) => (typeof texts === 'object' ? texts[key] : undefined),
    files,
  );
  if (typeof found === 'string') return found;
  throw new Error(`The build of the web application has no text ${path.join('.')}: build it again.`);
}

/**
 * The names of classes in one style sheet of the application, by what its source calls them.
 *
 * @throws Error where there is no such class: then this is the build of another version
 */
export function createClasses({ classes }: Pick<Looks, 'classes'>) {
  return (sheet: string) =>
    (...names: readonly string[]): string =>
      names.map((name) => classAt(classes, sheet, name)).join(' ');
}

function classAt(classes: Looks['classes'], sheet: string, name: string): string {
  const found = classes[`${sheet}.module.css`]?.[name];
  if (found !== undefined) return found;
  throw new Error(`The build of the web application has no class ${name} in ${sheet}.module.css: build it again.`);
}

export type Words = ReturnType<typeof createWords>;
export type Classes = ReturnType<typeof createClasses>;
