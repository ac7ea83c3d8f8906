import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { sharedApi } from '../src/api/test-api.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const GENERATOR = join(ROOT, 'node_modules/.bin/oazapfts');
const CLIENT = join(ROOT, 'console/src/generated/client.ts');

const RUNTIME = 'const oazapfts = Oazapfts.runtime(defaults);\n';
// The library's own helpers return options with `undefined`, which its `fetchJson` does not accept under
// `exactOptionalPropertyTypes`.
const TYPED_RUNTIME = `type Runtime = ReturnType<typeof Oazapfts.runtime>;
type Options = Oazapfts.RequestOpts | ReturnType<Runtime["json" | "multipart"]>;
const oazapfts: Omit<Runtime, "fetchJson"> & {
    fetchJson<T extends Oazapfts.ApiResponse>(url: string, options?: Options): Promise<Oazapfts.WithHeaders<T>>;
} = Oazapfts.runtime(defaults);
`;

const shared = sharedApi();

/** The generator types values without a schema as any. The console must check them. Comments stay. */
function withoutAny(client: string): string {
  return client.replace(/^(?!\s*(?:\/\*\*|\*|\/\/)).*$/gm, (line) => line.replace(/(: |\| |<)any\b/g, '$1unknown'));
}

// `npm run generate --workspace console` writes the client again: it runs this test with `--update`.
it('the API client of the console is generated from the current OpenAPI document', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-console-client-'));
  try {
    await writeFile(join(folder, 'openapi.json'), (await shared().app.inject('/openapi.json')).body);
    await promisify(execFile)(GENERATOR, [join(folder, 'openapi.json'), join(folder, 'client.ts')]);
    const client = await readFile(join(folder, 'client.ts'), 'utf8');
    await expect(withoutAny(client).replace(RUNTIME, TYPED_RUNTIME)).toMatchFileSnapshot(CLIENT);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
