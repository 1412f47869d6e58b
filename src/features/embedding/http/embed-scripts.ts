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
 */
export const HEIGHT_SCRIPT = `(function () {
  if (parent === window || !window.ResizeObserver) return;
  var root = document.documentElement;
  new ResizeObserver(function () {
    parent.postMessage({ menagerieHeight: Math.ceil(root.getBoundingClientRect().height) }, '*');
  }).observe(root);
})();`;

export const HEIGHT_SCRIPT_SOURCE = `'sha256-${createHash('sha256').update(HEIGHT_SCRIPT).digest('base64')}'`;

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
