import { createHash } from 'node:crypto';
import { PAPER } from '../../api/web/drawings.ts';

/** Loading the page again did not help, if it has to be done once more so soon. */
const RELOAD_PAUSE_MS = 20_000;

/** The application starts after this long, even if a photo is still loading. */
const PHOTOS_TIMEOUT_MS = 3000;

/**
 * Runs before anything is painted: sets the color scheme that the reader chose (the application keeps it under this key), else that of the system. The page
 * would otherwise flash in the other colors.
 *
 * It starts the application once the first photos are drawn.
 *
 * And it is there where the application is not: the service may have another version of it by now, or another node than the one that made this page. To
 * load the page once more helps then; where it does not, the page says so, in words that it has to bring along.
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
  document.querySelectorAll('meta[name="theme-color"]').forEach(function (each) {
    each.content = ${JSON.stringify(PAPER)}[scheme];
  });

  function reload() {
    try {
      var before = Number(sessionStorage.getItem('menagerie-reloaded-at'));
      if (!navigator.onLine || Date.now() - before < ${RELOAD_PAUSE_MS}) return false;
      sessionStorage.setItem('menagerie-reloaded-at', String(Date.now()));
    } catch (error) {
      // It could not be known whether the page goes round in circles.
      return false;
    }
    location.reload();
    return true;
  }
  function tell() {
    var isGerman = root.lang === 'de';
    var box = document.createElement('p');
    var button = document.createElement('button');
    box.setAttribute('role', 'alert');
    box.style.cssText =
      'position:fixed;z-index:999;inset:auto 0 0;margin:0;padding:1rem;background:#7a4a00;color:#fff;font:1rem/1.5 system-ui,sans-serif;text-align:center';
    button.style.cssText = 'min-height:2.75rem;margin-left:1rem;padding:0 1rem;font:inherit';
    box.textContent = isGerman
      ? 'Ein Teil dieser Seite konnte nicht geladen werden.'
      : 'A part of this page could not be loaded.';
    button.textContent = isGerman ? 'Seite neu laden' : 'Load the page again';
    button.onclick = function () {
      location.reload();
    };
    box.appendChild(button);
    (document.body || root).appendChild(box);
  }
  var isTold = false;
  function fail() {
    if (isTold || reload()) return;
    isTold = true;
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', tell);
    else tell();
  }
  // Of what stands in the page itself; what is loaded later is for the application to look after.
  addEventListener('error', function (event) {
    if (event.target instanceof HTMLScriptElement) fail();
  }, true);
  addEventListener('menagerie-start-failed', fail);
  addEventListener('menagerie-part-missing', reload);

  // The scripts would share the connection with the photos. Lighthouse, throttled phone: largest paint of the front page after 1.9 s instead of 2.6 s.
  function start() {
    var application = document.getElementById('application');
    if (application === null) return;
    document.head.appendChild(application.content);
    application.remove();
  }
  addEventListener('DOMContentLoaded', function () {
    setTimeout(start, ${PHOTOS_TIMEOUT_MS});
    var photos = Array.from(document.querySelectorAll('img[fetchpriority="high"]'), function (photo) {
      return photo.decode().catch(function () {});
    });
    Promise.all(photos).then(function () {
      if (document.hidden || photos.length === 0) start();
      else requestAnimationFrame(function () { setTimeout(start); });
    });
  });
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
