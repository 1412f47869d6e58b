import { createHash } from 'node:crypto';
import { PAPER } from '../../api/web/drawings.ts';

/** Minimum time between automatic reloads: if the page fails again sooner, the reload did not help. */
const RELOAD_PAUSE_MS = 20_000;

/** The application starts after this time even if photos are still loading. */
const PHOTOS_TIMEOUT_MS = 3000;

/**
 * Runs before the first paint, and does four things:
 *
 * - It sets the color scheme that the user chose (the application stores it under this key), or that of the system.
 *   Otherwise the page would flash in the wrong colors.
 * - It starts the application after the first photos are drawn.
 * - It handles scripts that fail to load, for example after an update, or because another node has another version. It
 *   reloads the page once; if that does not help, it shows a message.
 * - It removes the canonical address when the application opens another page: browsers share it instead of the current
 *   address.
 */
export const EARLY_SCRIPT = `(function () {
  var root = document.documentElement;
  function stored(key) {
    try {
      return localStorage.getItem(key);
    } catch (error) {
      return null;
    }
  }
  var scheme = stored('menagerie-color-scheme');
  if (scheme !== 'light' && scheme !== 'dark')
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  root.setAttribute('data-color-scheme', scheme);
  document.querySelectorAll('meta[name="theme-color"]').forEach(function (each) {
    each.content = ${JSON.stringify(PAPER)}[scheme];
  });

  if (window.navigation) navigation.addEventListener('currententrychange', function (event) {
    var canonical = document.querySelector('link[rel="canonical"]');
    // The application replaces its first address by one without unknown parameters.
    if (canonical !== null && event.navigationType !== 'replace') canonical.remove();
  });

  function reload() {
    try {
      var before = Number(sessionStorage.getItem('menagerie-reloaded-at'));
      if (!navigator.onLine || Date.now() - before < ${RELOAD_PAUSE_MS}) return false;
      sessionStorage.setItem('menagerie-reloaded-at', String(Date.now()));
    } catch (error) {
      // Without storage, a reload loop could not be detected.
      return false;
    }
    location.reload();
    return true;
  }
  function showMessage() {
    var isGerman = root.lang === 'de';
    var box = document.createElement('p');
    var button = document.createElement('button');
    box.setAttribute('role', 'alert');
    box.style.cssText =
      'position:fixed;z-index:999;inset:auto 0 ' +
      '0;margin:0;padding:1rem;background:#7a4a00;color:#fff;font:1rem/1.5 system-ui,sans-serif;text-align:center';
    button.style.cssText = 'min-height:2.75rem;margin-left:1rem;padding:0 1rem;font:inherit';
    box.textContent = isGerman
      ? 'Ein Teil dieser Seite konnte nicht geladen werden.'
      : 'A part of this page could not be loaded.';
    button.textContent = isGerman ? 'Seite neu laden' : 'Reload page';
    button.onclick = function () {
      location.reload();
    };
    box.appendChild(button);
    (document.body || root).appendChild(box);
  }
  var isShown = false;
  function fail() {
    if (isShown || reload()) return;
    isShown = true;
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', showMessage);
    else showMessage();
  }
  // Only for scripts in the page itself. The application handles errors of later ones.
  addEventListener('error', function (event) {
    if (event.target instanceof HTMLScriptElement) fail();
  }, true);
  addEventListener('menagerie-start-failed', fail);
  addEventListener('menagerie-chunk-missing', reload);

  // Scripts would compete with the photos for bandwidth. Largest Contentful Paint of the front page (Lighthouse,
  // throttled phone): 1.9 s instead of 2.6 s.
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
 * The content security policy of the application's pages (CSP level 3): only resources of this service. Photos on other
 * hosts are not loaded, because those hosts would learn who views which pet.
 *
 * @param photoOrigin the origin of the photos, if it may differ from that of the page
 * @param styleSource the source of the styles in the page itself, if it has any
 * @param hasFrames whether the page shows a page for frames; the service has no others that may be framed
 */
export function pagePolicy(photoOrigin: string | undefined, styleSource?: string, hasFrames = false): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${EARLY_SCRIPT_HASH}'`,
    `style-src 'self'${styleSource === undefined ? '' : ` ${styleSource}`}`,
    `img-src 'self' data: blob:${photoOrigin === undefined ? '' : ` ${photoOrigin}`}`,
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    ...(hasFrames ? ["frame-src 'self'"] : []),
    // A form submitted before the application has started would put the password into the URL.
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
