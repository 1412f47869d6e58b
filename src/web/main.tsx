import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core';
import './design/base.css';
import './design/tokens.css';
// Styles of the Mantine components that every page uses, in a layer below our own styles. Other components import
// theirs.
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';
import '@mantine/core/styles/UnstyledButton.layer.css';
import '@mantine/core/styles/Loader.layer.css';
import '@mantine/core/styles/Button.layer.css';
import '@mantine/core/styles/ActionIcon.layer.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { Link, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { reportStartFailure, isChunkLoadError } from './routing/chunk-errors.ts';
import { createPages } from './app/router.tsx';
import { LinkRenderer } from './design/page-link.tsx';
import { resolveVariables, theme } from './design/theme.ts';
import { styleNonce } from './service/bootstrap.ts';
import { createQueries } from './service/queries.ts';
import { loadTexts, preferredLanguage } from './texts/languages.ts';
import { TextsProvider } from './texts/texts-provider.tsx';

declare global {
  /** The nonce for styles of the libraries that lock scrolling behind a dialog. */
  var __webpack_nonce__: string | undefined;
}

/** The inline script at the top of the page reads this key before the first paint. */
const colorSchemeManager = localStorageColorSchemeManager({ key: 'menagerie-color-scheme' });

async function start(root: HTMLElement): Promise<void> {
  globalThis.__webpack_nonce__ = styleNonce;
  const queries = createQueries();
  const pages = createPages(queries);
  const language = preferredLanguage();
  // The first view stays until the whole page can replace it.
  const [texts] = await Promise.all([loadTexts(language), pages.load()]);
  createRoot(root).render(
    <StrictMode>
      <TextsProvider first={{ language, texts }}>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={resolveVariables}
          defaultColorScheme="auto"
          colorSchemeManager={colorSchemeManager}
          getStyleNonce={() => styleNonce ?? ''}
          withGlobalClasses={false}
        >
          <QueryClientProvider client={queries}>
            <LinkRenderer value={(props) => <Link {...props} />}>
              <RouterProvider router={pages} />
            </LinkRenderer>
          </QueryClientProvider>
        </MantineProvider>
      </TextsProvider>
    </StrictMode>,
  );
  // A page from the back/forward cache may be outdated.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void queries.invalidateQueries();
  });
}

const root = document.getElementById('root');
if (root !== null)
  start(root).catch((error: unknown) => {
    if (!isChunkLoadError(error)) throw error;
    reportStartFailure();
  });
