import type { Language } from '../../api/web/languages.ts';
import type { TextPart } from '../../api/web/page-texts.ts';
import type { WebBuild } from './web-build.ts';

const TEXT_CHUNKS: Readonly<Record<TextPart, string>> = {
  profile: 'profile-texts.ts',
  dashboard: 'dashboard-texts.ts',
  saved: 'saved-texts.ts',
  others: 'other-texts.ts',
};

const WORD_CHUNKS: Readonly<Record<Language, readonly string[]>> = { en: [], de: ['words/german-words.ts'] };

/** The chunks with the texts and words of a language. */
export function textChunks(language: Language, parts: readonly TextPart[]): readonly string[] {
  const texts = ['texts.ts', ...parts.map((part) => TEXT_CHUNKS[part])].map((name) => `texts/${language}/${name}`);
  return [...texts, ...WORD_CHUNKS[language]];
}

/** The paths of the files that these chunks need, without duplicates and without those that the page loads anyway. */
export function filesOf(
  { chunks, html, basePath }: Pick<WebBuild, 'chunks' | 'html' | 'basePath'>,
  sources: readonly string[],
): { preloads: readonly string[]; styleSheets: readonly string[] } {
  const wanted = [...withImports(chunks, namesOf(chunks, sources))].flatMap((name) => chunks[name] ?? []);
  const pathsOf = (files: readonly string[]) =>
    [...new Set(files)].map((file) => `${basePath}/${file}`).filter((path) => !html.includes(`"${path}"`));
  return {
    preloads: pathsOf(wanted.map(({ file }) => file)),
    styleSheets: pathsOf(wanted.flatMap(({ css = [] }) => css)),
  };
}

/** The names in the manifest, which include the folder. */
function namesOf(chunks: WebBuild['chunks'], sources: readonly string[]): readonly string[] {
  return Object.keys(chunks).filter((name) => sources.some((source) => name === source || name.endsWith(`/${source}`)));
}

function withImports(chunks: WebBuild['chunks'], names: readonly string[]): Set<string> {
  const all = new Set(names);
  // Iterating a set also visits elements that are added meanwhile.
  for (const name of all) for (const imported of chunks[name]?.imports ?? []) all.add(imported);
  return all;
}
