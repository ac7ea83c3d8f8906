import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/**
 * Writes `dist/sbom.cdx.json`, the CycloneDX bill of materials of the packages that run. `npm sbom --omit dev` (npm 11) also leaves
 * out packages that run, such as `ws`, so the packages for development are left out here. Those in the bundle of the console run in
 * the browser: its build lists them.
 */
const ROOT = join(import.meta.dirname, '..');
const BUNDLED = join(ROOT, 'console/dist/packages.json');
const DEVELOPMENT = 'cdx:npm:package:development';
/** The bill of all packages takes less than 1 MB. */
const BILL_BYTES_MAX = 32 * 1_048_576;
/** Major version of npm that the command `sbom` needs. Debian 13 has npm 9. */
const NPM_MAJOR_MIN = 10;

const component = z.looseObject({ 'bom-ref': z.string(), properties: z.array(z.object({ name: z.string() })) });
const billSchema = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({}) }),
  components: z.array(component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

function npm(...args: string[]): string {
  return execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: BILL_BYTES_MAX });
}

const npmVersion = npm('--version').trim();
if (Number.parseInt(npmVersion, 10) < NPM_MAJOR_MIN) {
  process.stderr.write(
    `npm ${npmVersion} cannot write the bill of materials. Install npm ${NPM_MAJOR_MIN} or newer: npm install --global npm@11\n`,
  );
  process.exit(1);
}
const bill = billSchema.parse(JSON.parse(npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only')));
const forDevelopment = new Set(
  bill.components
    .filter(({ properties }) => properties.some(({ name }) => name === DEVELOPMENT))
    .map((entry) => entry['bom-ref']),
);
const bundledSchema = z.array(z.object({ name: z.string(), version: z.string() }));
const bundled = new Set(
  bundledSchema.parse(JSON.parse(readFileSync(BUNDLED, 'utf8'))).map(({ name, version }) => `${name}@${version}`),
);
/** The console is a workspace of this project, no package from elsewhere. */
const isOurs = (ref: string) => ref.startsWith('trunkline-console@');
const runs = (ref: string) => bundled.has(ref) || (!forDevelopment.has(ref) && !isOurs(ref));
const components = bill.components.filter((entry) => runs(entry['bom-ref']));
const dependencies = bill.dependencies
  .filter(({ ref }) => runs(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(runs) }));
// npm names the project after its folder.
const metadata = { ...bill.metadata, component: { ...bill.metadata.component, name: 'trunkline' } };
const written = { ...bill, metadata, components, dependencies };
writeFileSync(join(ROOT, 'dist/sbom.cdx.json'), `${JSON.stringify(written, null, 2)}\n`);
