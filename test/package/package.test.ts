import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call } from '../caller/caller.ts';
import { ApiClient } from '../service/rig/api-client.ts';
import { startEmulatedProviders } from '../service/rig/emulated-providers.ts';
import { eventually } from '../service/rig/eventually.ts';
import { TEST_API_KEY } from '../service/rig/service-process.ts';
import { FROM, TO, talker } from '../service/rig/staged-call.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** CycloneDX 1.5. */
const billSchema = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ component: z.object({ 'bom-ref': z.string(), name: z.string(), purl: z.string() }) }),
  components: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      hashes: z.array(z.object({ alg: z.string(), content: z.string() })),
    }),
  ),
});
const manifestSchema = z.object({ version: z.string(), dependencies: z.record(z.string(), z.string()) });
const installs = process.env.TRUNKLINE_REQUIRE_PEERS !== undefined;
if (!installs) console.warn('skipped: the packed package is installed only where TRUNKLINE_REQUIRE_PEERS is set (CI)');

describe.skipIf(!installs)('the packed package', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trunkline-package-'));
    const pack = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
    const tarball = join(folder, pack.trim().split('\n').at(-1) ?? '');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd: folder, stdio: 'pipe' });
  }, 400_000);

  it('contains a CycloneDX bill of materials of the packages that run, and of no others', async () => {
    const bill = billSchema.parse(
      JSON.parse(await readFile(join(folder, 'node_modules/trunkline/dist/sbom.cdx.json'), 'utf8')),
    );
    const { dependencies, version } = manifestSchema.parse(
      JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')),
    );
    // Scanners match the package by its purl, also when the folder of the checkout has another name.
    expect(bill.metadata.component).toEqual({
      'bom-ref': `trunkline@${version}`,
      name: 'trunkline',
      purl: `pkg:npm/trunkline@${version}`,
    });
    const packages = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
    const direct = Object.entries(dependencies).map((pair) => pair.join('@'));
    expect(direct.filter((name) => !packages.has(name))).toEqual([]);
    // Others for development may also be needed by a package that runs, as `ajv` is.
    expect(bill.components.filter(({ name }) => ['typescript', 'vitest', 'knip'].includes(name))).toEqual([]);
    // In the bundle of the console.
    expect(packages).toContainEqual(expect.stringMatching(/^react-dom@/));
    expect(bill.components.filter(({ hashes }) => hashes.length === 0)).toEqual([]);
  });

  it('answers a call after installation in an empty folder', { timeout: 400_000 }, async () => {
    const providers = await startEmulatedProviders();
    // Starts the binary by its path, because `npx` would add a shell process.
    const child = spawn(process.execPath, [join(folder, 'node_modules/trunkline/trunkline.js'), 'start'], {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'pipe'],
      env: {
        ...providers.environment,
        PATH: process.env.PATH,
        TRUNKLINE_API_KEY: TEST_API_KEY,
        HTTP_PORT: '0',
        METRICS_BIND: '127.0.0.1:0',
        SIP_PORT: '0',
        RTP_PORTS: '31000-31199',
        LOG_LEVEL: 'silent',
        ADMISSION_LATENESS_MS: '1000',
      },
    });
    try {
      const { httpUrl, sipPort } = await announced(child.stderr);
      const api = new ApiClient(httpUrl, TEST_API_KEY);
      // The package also contains files that are not modules.
      const page = await fetch(`${httpUrl}/call`);
      expect(await page.text()).toContain('<script');
      expect(await (await fetch(`${httpUrl}/console/`)).text()).toContain('id="root"');
      const agent = await api.createAgent(talker());
      const callId = await api.stage({ from_number: FROM, to_number: TO, agent_id: agent.id });
      const report = await call({
        target: { host: '127.0.0.1', port: sipPort },
        to: TO,
        headers: { 'X-Service-Call-Id': callId },
        hangUp: {
          at: eventually(async () => expect((await api.call(callId)).transcript?.[0]).toMatchObject({ role: 'agent' })),
        },
      });
      expect(report.endedBy, report.ladder.join('\n')).toBe('caller');
      const ended = await api.callIn(callId, ['completed']);
      expect(ended.transcript?.[0]).toMatchObject({ role: 'agent' });
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await providers.close();
    }
  });
});

async function announced(stderr: NodeJS.ReadableStream): Promise<{ httpUrl: string; sipPort: number }> {
  let output = '';
  for await (const chunk of stderr) {
    output += String(chunk);
    const httpUrl = /^HTTP {2}(\S+)/m.exec(output)?.[1];
    const sipPort = /^SIP .*?:(\d+)/m.exec(output)?.[1];
    if (httpUrl !== undefined && sipPort !== undefined) return { httpUrl, sipPort: Number(sipPort) };
  }
  throw new Error(`the service did not start:\n${output}`);
}
