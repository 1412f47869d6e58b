import { useSyncExternalStore } from 'react';
import type { Language } from '../../api/web/languages.ts';
import type { TextPart } from '../../api/web/page-texts.ts';
import type { Words } from '../../api/words/words.ts';
import { loadTexts, loadWords, preferredLanguage, rememberLanguage, type Texts } from './languages.ts';

interface Loaded {
  language: Language;
  texts: Texts;
  words: Words;
}

/** The texts that the page needs; `loading` settles when they are in `loaded`. */
let wanted: { language: Language; parts: readonly TextPart[] } = { language: preferredLanguage(), parts: [] };
let loading: Promise<void> | undefined;
let loaded: Loaded | undefined;
const listeners = new Set<() => void>();

/** The texts of the page, which the start of the application loads. */
export function useLoadedTexts(): Loaded {
  const texts = useSyncExternalStore(subscribe, () => loaded);
  if (texts === undefined) throw new Error('The texts must be loaded first.');
  return texts;
}

export function useLanguage(): Language {
  return useLoadedTexts().language;
}

/** Loads the texts of the pages of visitors and, from then on, also these parts. */
export function requireTexts(parts: readonly TextPart[]): Promise<void> {
  const all = new Set([...wanted.parts, ...parts]);
  if (loading !== undefined && all.size === wanted.parts.length) return loading;
  return load({ ...wanted, parts: [...all] });
}

/** Renders everything with texts again. */
export function renderTexts(): Promise<void> {
  return load(wanted);
}

export async function chooseLanguage(language: Language): Promise<void> {
  await load({ ...wanted, language });
  rememberLanguage(language);
}

function load(next: typeof wanted): Promise<void> {
  const before = { wanted, loading };
  wanted = next;
  loading = show(next).catch((error: unknown) => {
    // The next page tries again.
    if (wanted === next) ({ wanted, loading } = before);
    throw error;
  });
  return loading;
}

async function show(next: typeof wanted): Promise<void> {
  const [texts, words] = await Promise.all([loadTexts(next.language, next.parts), loadWords(next.language)]);
  // Something else was wanted meanwhile.
  if (wanted !== next) return loading;
  loaded = { language: next.language, texts, words };
  for (const listener of listeners) listener();
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
}
