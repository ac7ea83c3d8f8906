import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const REGISTRY = join(import.meta.dirname, '../../../adapters/registry/provider-registry.ts');
/** Prints which SDKs a process with this registry has loaded. A fresh process: this one has loaded all of them for other tests. */
const PROGRAM = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({
  resolve(specifier, context, next) {
    if (/^(openai|@anthropic-ai\\/sdk|@deepgram\\/sdk)$/.test(specifier)) loaded.push(specifier);
    return next(specifier, context);
  },
});
const { createRegistry } = await import(process.argv[1]);
const settings = [{}, { DEEPGRAM_API_KEY: 'key' }, { DEEPGRAM_API_KEY: 'key', GROQ_API_KEY: 'key' }, { ANTHROPIC_API_KEY: 'key' }];
for (const configured of settings) {
  const registry = createRegistry(configured);
  await new Promise((resolve) => setImmediate(resolve));
  await registry.close();
  console.log(JSON.stringify(loaded.splice(0)));
}
`;

it('a registry loads the SDKs of its configured providers alone, before the first request', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM, REGISTRY]);
  const loaded: string[][] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(loaded.map((sdks) => [...new Set(sdks)].sort())).toEqual([
    [],
    ['@deepgram/sdk'],
    ['@deepgram/sdk', 'openai'],
    ['@anthropic-ai/sdk'],
  ]);
});
