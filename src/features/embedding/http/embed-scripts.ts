import { createHash } from 'node:crypto';
import { EMBED_PATH } from '../api/embed-options.ts';

/* Scripts for websites of others. Visitors of those have old browsers as well, so the syntax is old. */

/** The height of a frame until its page says otherwise, in CSS pixels. */
const FIRST_HEIGHT = 480;

/** No page is higher: fifty cards in one column. */
const MAX_HEIGHT = 40_000;

/**
 * Sends the height of the page in a frame to the page around it. The height of the root element depends on the width
 * of the frame, and not on its height, so that the two pages cannot answer each other forever.
 *
 * WordPress puts the frames of oEmbed into a sandbox in which no link opens, and gives them a secret after the `#`.
 * With the secret, it accepts messages of its own form: a height, and a link at the host of the frame, which it
 * follows.
 */
export const FRAME_SCRIPT = `(function () {
  if (parent === window) return;
  var root = document.documentElement;
  function sendToWordPress(message, value) {
    var secret = (/[?#&]secret=([a-zA-Z0-9]+)/.exec(location.hash) || [])[1];
    if (secret) parent.postMessage({ message: message, value: value, secret: secret }, '*');
    return !!secret;
  }
  function sendHeight() {
    var height = Math.ceil(root.getBoundingClientRect().height);
    parent.postMessage({ menagerieHeight: height }, '*');
    sendToWordPress('height', height);
  }
  if (window.ResizeObserver) new ResizeObserver(sendHeight).observe(root);
  addEventListener('hashchange', sendHeight);
  document.addEventListener('click', function (event) {
    var link = event.target.closest('a[href]');
    if (link && sendToWordPress('link', link.href)) event.preventDefault();
  });
})();`;

export const FRAME_SCRIPT_SOURCE = `'sha256-${createHash('sha256').update(FRAME_SCRIPT).digest('base64')}'`;

/**
 * The script of a website, as \`<script async src="https://pets.example.org/embed.js" data-query="species=cat">\`. Each
 * script element adds a frame behind itself. It needs nothing of the page, and leaves nothing but the frame.
 */
export const EMBED_SCRIPT = `(function () {
  var script = document.currentScript;
  if (!script || !script.src) return;
  var pet = script.getAttribute('data-pet');
  var url = new URL(script.src);
  url.pathname = url.pathname.replace(/\\/[^/]*$/, '${EMBED_PATH}') + (pet ? '/' + encodeURIComponent(pet) : '');
  url.search = script.getAttribute('data-query') || '';
  url.hash = '';
  var frame = document.createElement('iframe');
  frame.src = url.href;
  frame.title = script.getAttribute('data-title') || (/^de\\b/.test(document.documentElement.lang) ? 'Tiere' : 'Pets');
  frame.loading = 'lazy';
  frame.referrerPolicy = 'no-referrer';
  // The frame has the height of its content. A scroll bar would appear for a moment whenever it grows.
  frame.setAttribute('scrolling', 'no');
  frame.style.cssText = 'display:block;width:100%;border:0';
  frame.style.height = (Number(script.getAttribute('data-height')) || ${FIRST_HEIGHT}) + 'px';
  addEventListener('message', function (event) {
    if (event.source !== frame.contentWindow || event.origin !== url.origin) return;
    var height = event.data && event.data.menagerieHeight;
    if (height > 0 && height <= ${MAX_HEIGHT}) frame.style.height = Math.ceil(height) + 'px';
  });
  script.parentNode.insertBefore(frame, script.nextSibling);
})();
`;
