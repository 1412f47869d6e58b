import { createContext, use } from 'react';
import { ENGLISH_WORDS, type Words } from '../../api/words/words.ts';

/** The words of the language of the page for breeds and colours. */
export const WordsContext = createContext<Words>(ENGLISH_WORDS);

export function useWords(): Words {
  return use(WordsContext);
}
