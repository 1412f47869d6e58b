import SwaggerUI, { type Plugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';
import { DOCS_CLIENT_ID } from '../../api/web/oauth-parameters.ts';
import { ignoreClicksOnReplaced } from '../design/replaced-controls.ts';
import { accessibleComponents } from './accessible-components.ts';
import { completeMarkup } from './complete-markup.ts';
import { exactNumbers } from './exact-numbers.ts';
import { DocsPlayground } from './playground.ts';

/** The tags of Petstore. */
const OPEN = ['pet', 'store', 'user'];

/**
 * A plugin of Swagger UI that shows the operations of the other tags on a click. From 150 operations on, it keeps only
 * the visible ones in the page, where neither the browser nor a screen reader finds the others.
 */
const openTags: Plugin = () => ({
  statePlugins: {
    layout: {
      wrapSelectors: {
        // The state is bound to the original, and passed to what replaces it.
        isShown: (original) => (_state, thing, byDefault) => {
          const [kind, tag] = thing as readonly string[];
          return original(thing, kind === 'operations-tag' ? OPEN.includes(tag ?? '') : byDefault);
        },
      },
    },
  },
});

/* The API documentation at /docs. `src/http/documents/docs-page.ts` writes its page. */

const DARK = matchMedia('(prefers-color-scheme: dark)');

function setTheme(): void {
  document.documentElement.classList.toggle('dark-mode', DARK.matches);
}

setTheme();
DARK.addEventListener('change', setTheme);
ignoreClicksOnReplaced();

function showDocument(place: HTMLElement): void {
  const { root = '.', playground: offer } = place.dataset;
  const service = new URL(root, location.href).href.replace(/\/$/, '');
  const playground = offer === undefined ? undefined : new DocsPlayground(service, offer === 'default');
  completeMarkup(place);
  const swagger = SwaggerUI({
    domNode: place,
    url: place.dataset['document'] ?? '',
    deepLinking: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    // Sends documents to no external validator.
    validatorUrl: null,
    plugins: [accessibleComponents, exactNumbers, openTags, ...(playground === undefined ? [] : [playground.plugin])],
    ...(playground !== undefined && { requestInterceptor: playground.intercept }),
    // This page itself, as the service has registered it.
    oauth2RedirectUrl: location.origin + location.pathname.replace(/\/$/, ''),
  });
  swagger.initOAuth({ clientId: DOCS_CLIENT_ID, usePkceWithAuthorizationCodeGrant: true });
}

/** Whether this is the window of an authorization, to which the service has sent the user back. */
function isAnswer(): boolean {
  const query = new URLSearchParams(location.search);
  return window.opener !== null && query.has('iss') && (query.has('code') || query.has('error'));
}

const place = document.querySelector<HTMLElement>('[data-document]');
// The script hands the code to the window that has opened this one, and closes this one.
if (isAnswer()) await import('swagger-ui-dist/oauth2-redirect.js');
else if (place !== null) showDocument(place);
