import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ServiceProcess, startServiceProcess, TEST_API_KEY } from '../../../service/rig/service-process.ts';
import { type ApiTools, apiTools } from './api-tools.ts';
import { PROVIDER_KEYS } from './provider-keys.ts';
import { PYTHON_PROGRAM } from './python-program.ts';
import { TYPESCRIPT_PROGRAM } from './typescript-program.ts';

const run = promisify(execFile);
/** Lines of the generated types for each operation: a reader scrolls through them, an editor loads them. */
const TYPE_LINES_PER_OPERATION_MAX = 115;
/** openapi-python-client knows no media types of files but `application/octet-stream`. Its formatter is not installed. */
const PYTHON_SETTINGS = {
  post_hooks: [],
  content_type_overrides: {
    'audio/wav': 'application/octet-stream',
    'application/pdf': 'application/octet-stream',
    'application/vnd.tcpdump.pcap': 'application/octet-stream',
  },
};
const TSC_OPTIONS = ['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--target', 'es2024'];
const MODULE_OPTIONS = ['--module', 'nodenext', '--lib', 'es2024,dom,dom.iterable', '--types', 'node'];

const tools = apiTools();

describe.skipIf(tools === null)('clients generated from the document of a running service', () => {
  let folder: string;
  let service: ServiceProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trunkline-clients-'));
    service = await startServiceProcess(PROVIDER_KEYS);
    const document = await fetch(`${service.httpUrl}/openapi.json`);
    await writeFile(join(folder, 'openapi.json'), await document.text());
    return async () => {
      await service.stop();
    };
  });

  it('openapi-python-client understands each schema, gives readable names, and its client works', async () => {
    const { openapiPythonClient, python } = required(tools);
    await writeFile(join(folder, 'settings.json'), JSON.stringify(PYTHON_SETTINGS));
    const options = ['--path', 'openapi.json', '--meta', 'none', '--output-path', 'trunkline_client'];
    const generated = await run(openapiPythonClient, ['generate', ...options, '--config', 'settings.json'], {
      cwd: folder,
    });
    expect(generated.stdout + generated.stderr).not.toMatch(/warning/i);
    const models = await readdir(join(folder, 'trunkline_client/models'));
    expect(models).toContain('transfer_call_tool.py');
    expect(models.filter((name) => /item_type|_0/.test(name))).toEqual([]);

    await writeFile(join(folder, 'program.py'), PYTHON_PROGRAM);
    const ran = await run(python, ['program.py', service.httpUrl, TEST_API_KEY], { cwd: folder });
    expect(ran.stdout).toBe('staged validation_error name\n');
  });

  it('openapi-typescript writes at most 115 lines an operation, and a program with its types compiles and works', async () => {
    const { nodeModules, openapiTypescript, typescript } = required(tools);
    await symlink(nodeModules, join(folder, 'node_modules'));
    await run(openapiTypescript, ['openapi.json', '--output', 'client.ts'], { cwd: folder });
    const types = await readFile(join(folder, 'client.ts'), 'utf8');
    const { paths } = JSON.parse(await readFile(join(folder, 'openapi.json'), 'utf8'));
    const operations = Object.values<object>(paths).flatMap((path) => Object.keys(path));
    expect(types.split('\n').length).toBeLessThanOrEqual(TYPE_LINES_PER_OPERATION_MAX * operations.length);

    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'program.ts'), TYPESCRIPT_PROGRAM);
    const checked = await run(typescript, [...TSC_OPTIONS, ...MODULE_OPTIONS, 'program.ts'], { cwd: folder }).catch(
      (error) => error,
    );
    expect(checked.stdout).toBe('');
    const ran = await run(process.execPath, ['program.ts', service.httpUrl, TEST_API_KEY], { cwd: folder });
    expect(ran.stdout).toBe('staged validation_error name\n');
  });
});

function required(installed: ApiTools | null): ApiTools {
  if (installed === null) throw new Error('the API tools are not installed');
  return installed;
}
