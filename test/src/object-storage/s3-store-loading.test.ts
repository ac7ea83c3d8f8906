import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** The modules of AWS that a process has loaded after the import of this module of `src`. */
async function awsModulesOf(module: string): Promise<number> {
  const url = new URL(`../../../src/${module}`, import.meta.url);
  const script = `
    import { createRequire } from 'node:module';
    await import(${JSON.stringify(url)});
    const loaded = Object.keys(createRequire(${JSON.stringify(url)}).cache);
    console.log(loaded.filter((path) => path.includes('@aws-sdk')).length);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return Number(stdout);
}

it('the SDK of AWS is loaded with the S3 store, and not with the rest of the service', async () => {
  const [service, store] = await Promise.all([
    awsModulesOf('service/service.ts'),
    awsModulesOf('object-storage/s3-store.ts'),
  ]);
  expect(service).toBe(0);
  expect(store).toBeGreaterThan(0);
});
