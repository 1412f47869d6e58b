import type { Plugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

/** The tags of Petstore. */
const OPEN = ['pet', 'store', 'user'];

/**
 * A plugin of Swagger UI that shows the operations of the other tags on a click. From 150 operations on, it keeps only
 * the visible ones in the page, where neither the browser nor a screen reader finds the others.
 */
export const openTags: Plugin = () => ({
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
