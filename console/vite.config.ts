import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { bundledPackages } from './bundled-packages.ts';

/** Smaller files fit into one packet anyway. */
const GZIP_BYTES_MIN = 1_000;

/** Writes each asset compressed beside it, so that the service compresses nothing. */
function gzipAssets(): Plugin {
  return {
    name: 'gzip-assets',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const [fileName, file] of Object.entries(bundle)) {
          const source = file.type === 'chunk' ? file.code : file.source;
          if (!fileName.startsWith('assets/') || source.length < GZIP_BYTES_MIN) continue;
          this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(source, { level: 9 }) });
        }
      },
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  // The service may be behind a path of a reverse proxy.
  base: './',
  plugins: [bundledPackages(), gzipAssets()],
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    target: 'es2023',
    // Data URLs of fonts and images are not allowed everywhere.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    // Packages mark their modules for frameworks that render on a server.
    rolldownOptions: {
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
});
