import './design/base.css';
import './design/tokens.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { Link, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { reportStartFailure, isChunkLoadError } from './routing/chunk-errors.ts';
import { createPages } from './app/router.tsx';
import { PlacesContext } from './catalogue/places.ts';
import { LinkRenderer } from './design/page-link.tsx';
import { ignoreClicksOnReplaced } from './design/replaced-controls.ts';
import { bootstrap } from './service/bootstrap.ts';
import { ignoreInputMethodKeys } from './service/browser.ts';
import { createQueries } from './service/queries.ts';
import { requireTexts } from './texts/loaded-texts.ts';
import { TextsProvider } from './texts/texts-provider.tsx';

async function start(root: HTMLElement): Promise<void> {
  ignoreInputMethodKeys();
  ignoreClicksOnReplaced();
  const queries = createQueries();
  const pages = createPages(queries);
  // The first view stays until the whole page can replace it.
  await Promise.all([requireTexts([]), pages.load()]);
  createRoot(root).render(
    <StrictMode>
      <TextsProvider>
        <QueryClientProvider client={queries}>
          <LinkRenderer value={(props) => <Link {...props} activeOptions={{ exact: true }} />}>
            <PlacesContext value={bootstrap.site.places ?? {}}>
              <RouterProvider router={pages} />
            </PlacesContext>
          </LinkRenderer>
        </QueryClientProvider>
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
