import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Built by `npm run build --workspace console`, in the same relative folder in a checkout and in the package. */
const BUILT = new URL('../../../console/dist/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

export interface ConsoleAsset {
  readonly type: string;
  readonly body: Buffer;
  /** null: the build found that compression does not pay. */
  readonly gzip: Buffer | null;
}

export interface ConsoleFiles {
  /** The page, with the placeholders that each response replaces. */
  readonly page: string;
  /** By file name: only names of this map are served, so no path leads out of the folder. */
  readonly assets: ReadonlyMap<string, ConsoleAsset>;
}

/** Reads the built console into memory: some hundred kilobytes. null: it is not built. */
export function readConsoleFiles(folder: URL = BUILT): ConsoleFiles | null {
  const page = new URL('index.html', folder);
  if (!existsSync(page)) return null;
  const assetFolder = new URL('assets/', folder);
  const assets = new Map<string, ConsoleAsset>();
  for (const name of readdirSync(assetFolder)) {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
    if (type === undefined) continue;
    const compressed = new URL(`${name}.gz`, assetFolder);
    const gzip = existsSync(compressed) ? readFileSync(compressed) : null;
    assets.set(name, { type, body: readFileSync(new URL(name, assetFolder)), gzip });
  }
  return { page: readFileSync(page, 'utf8'), assets };
}
