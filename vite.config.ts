import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The web application: sources in src/web, what is served in dist/web. */
export default defineConfig({
  root: 'src/web',
  plugins: [react()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    // What the service needs to know of the pieces: which files a page of its own wants first.
    manifest: true,
    // Every address of ours is served by ourselves; pictures in the address would be forbidden by the policy for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
  },
});
