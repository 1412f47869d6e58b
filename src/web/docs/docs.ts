import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';
import { exactNumbers } from './exact-numbers.ts';

/* The API documentation at /docs. `src/http/documents/docs-page.ts` writes its page. */

const DARK = matchMedia('(prefers-color-scheme: dark)');

function setTheme(): void {
  document.documentElement.classList.toggle('dark-mode', DARK.matches);
}

setTheme();
DARK.addEventListener('change', setTheme);

const place = document.querySelector<HTMLElement>('[data-document]');
if (place !== null)
  SwaggerUI({
    domNode: place,
    url: place.dataset['document'] ?? '',
    deepLinking: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    // Sends documents to no external validator.
    validatorUrl: null,
    plugins: [exactNumbers],
  });
