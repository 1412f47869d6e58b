import { readJson } from '../../client/int64-text.ts';
import { BOOTSTRAP_ID, type Bootstrap } from '../../api/web/bootstrap.ts';

/** The data that the service puts into the page. The defaults apply in development, where the page comes from Vite. */
export const bootstrap: Bootstrap = {
  version: 'development',
  basePath: '',
  access: 'open',
  signUp: true,
  minPasswordLength: 1,
  maxPhotoBytes: 10 * 1024 * 1024,
  maxPhotoPixels: 40_000_000,
  currentUser: null,
  site: { name: 'Menagerie' },
  responses: {},
  ...(readJson(document.getElementById(BOOTSTRAP_ID)?.textContent ?? '{}') as Partial<Bootstrap>),
};
