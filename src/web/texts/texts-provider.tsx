import { createContext, use, useMemo, useState, type ReactNode } from 'react';
import { IntlProvider } from 'use-intl';
import type { Language } from '../../api/web/languages.ts';
import { loadTexts, localeOf, rememberLanguage, type Texts } from './languages.ts';

interface Choice {
  language: Language;
  choose: (language: Language) => Promise<void>;
}

const LanguageChoice = createContext<Choice | undefined>(undefined);

interface Spoken {
  language: Language;
  texts: Texts;
}

/** Provides texts, formats and the choice of the language. */
export function TextsProvider({ first, children }: { first: Spoken; children: ReactNode }) {
  const [{ language, texts }, setSpoken] = useState(first);
  const choice = useMemo(
    () => ({
      language,
      async choose(next: Language) {
        const texts = await loadTexts(next);
        rememberLanguage(next);
        setSpoken({ language: next, texts });
      },
    }),
    [language],
  );
  return (
    <LanguageChoice value={choice}>
      <IntlProvider
        locale={localeOf(language)}
        messages={texts}
        timeZone={Intl.DateTimeFormat().resolvedOptions().timeZone}
      >
        {children}
      </IntlProvider>
    </LanguageChoice>
  );
}

export function useLanguage(): Choice {
  const choice = use(LanguageChoice);
  if (choice === undefined) throw new Error('useLanguage requires a TextsProvider.');
  return choice;
}
