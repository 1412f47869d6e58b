import { createHash } from 'node:crypto';

/**
 * Runs before anything is painted: what the reader has chosen (the application keeps it under these keys), else what the browser says. The page would
 * otherwise flash in the other colours, and be read out in the wrong language.
 */
export const EARLY_SCRIPT = `(function () {
  var root = document.documentElement;
  function kept(key) {
    try {
      return localStorage.getItem(key);
    } catch (error) {
      return null;
    }
  }
  var scheme = kept('menagerie-color-scheme');
  if (scheme !== 'light' && scheme !== 'dark')
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  root.setAttribute('data-mantine-color-scheme', scheme);
  var language = [kept('menagerie-language')].concat(navigator.languages || []).find(function (each) {
    return /^(en|de)\\b/i.test(each || '');
  });
  root.lang = (language || 'en').slice(0, 2).toLowerCase();
})();`;

const EARLY_SCRIPT_HASH = createHash('sha256').update(EARLY_SCRIPT).digest('base64');

/**
 * What a page of the application may do: nothing but what comes from here (CSP level 3). Pictures of other hosts are not shown, for those hosts would
 * be told who looks at which pet.
 *
 * @param nonce allows the style elements that the component library makes
 * @param photoOrigin where pictures are, if that may be another origin than that of the page
 */
export function pagePolicy(nonce: string, photoOrigin: string | undefined): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${EARLY_SCRIPT_HASH}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data: blob:${photoOrigin === undefined ? '' : ` ${photoOrigin}`}`,
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    // A form that is sent before the application is there would put a password into an address.
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
