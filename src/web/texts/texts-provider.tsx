import type { ReactNode } from 'react';
import { IntlProvider } from 'use-intl';
import { withLabels } from '../../api/words/words.ts';
import { bootstrap } from '../service/bootstrap.ts';
import { useLoadedTexts } from './loaded-texts.ts';
import { WordsContext } from './words.ts';

export function TextsProvider({ children }: { children: ReactNode }) {
  const { language, texts, words } = useLoadedTexts();
  return (
    <IntlProvider
      locale={bootstrap.locales?.[language] ?? language}
      messages={texts}
      getMessageFallback={wordOf}
      timeZone={Intl.DateTimeFormat().resolvedOptions().timeZone}
    >
      <WordsContext value={withLabels(words, bootstrap.site.labels?.[language])}>{children}</WordsContext>
    </IntlProvider>
  );
}

/** A word that only a later version of the service knows, such as the action of an audit entry, is shown as it is. */
function wordOf({ key }: { key: string }): string {
  return key.slice(key.lastIndexOf('.') + 1);
}
