import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readMarkdown } from '../structure/markdown.ts';

/** Values that a shell would cut or run if it read the file of the unit. */
const SETTINGS = {
  DATABASE_URL: 'postgres://trunkline:secret@10.0.0.1/trunkline?sslmode=verify-full&application_name=node',
  STORAGE_URL: 's3://calls/production?region=eu-central-1&endpoint=https://minio.example.com',
  OTEL_SERVICE_NAME: 'voice agents',
};
const PRINT = `console.log(JSON.stringify({ ...process.env, command: process.argv.slice(2) }))`;

/** The shell command in a page that runs a command of the service as the unit's user. */
function unitCommand(page: string): string {
  const [, command] = /^runuser -u trunkline -- sh -c '([^']+)'/m.exec(readMarkdown(page)) ?? [];
  if (command === undefined) throw new Error(`${page} has no command of the unit`);
  return command;
}

describe.each(['docs/deploy.md', 'docs/backup.md'])('the command of the unit in %s', (page) => {
  it('gets every setting whole', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-unit-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const [settings, program] = [join(folder, 'trunkline.env'), join(folder, 'print.cjs')];
    await writeFile(
      settings,
      Object.entries(SETTINGS)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    await writeFile(program, PRINT);
    const command = unitCommand(page)
      .replaceAll('/etc/trunkline/trunkline.env', settings)
      .replaceAll('/opt/trunkline/node_modules/trunkline/trunkline.js', program)
      .replaceAll('/var/lib/trunkline', folder);
    const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
    expect(JSON.parse(stdout)).toMatchObject({ ...SETTINGS, DATA_DIR: folder });
  });
});
