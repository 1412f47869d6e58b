import type { ReactNode } from 'react';
import { IntlProvider } from 'use-intl';
import { localeOf } from './languages.ts';
import { useLoadedTexts } from './loaded-texts.ts';

/** Provides texts and formats. */
export function TextsProvider({ children }: { children: ReactNode }) {
  const { language, texts } = useLoadedTexts();
  return (
    <IntlProvider
      locale={localeOf(language)}
      messages={texts}
      timeZone={Intl.DateTimeFormat().resolvedOptions().timeZone}
    >
      {children}
    </IntlProvider>
  );
}
