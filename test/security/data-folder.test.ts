import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DATABASES } from '../postgres/databases.ts';
import { startEmulatedProviders } from '../service/rig/emulated-providers.ts';
import { startServiceProcess } from '../service/rig/service-process.ts';
import { dialIn, talker } from '../service/rig/staged-call.ts';

describe.each(DATABASES)('on %s', (_, environment) => {
  it('no file of the service is open to other users, also with the umask 0', async () => {
    const providers = await startEmulatedProviders();
    onTestFinished(providers.close);
    const service = await startServiceProcess({ ...providers.environment, ...(await environment()) }, 'umask 0');
    onTestFinished(service.kill);
    const call = await dialIn(service, (await service.api.createAgent(talker())).id);
    await call.hangUp();
    const names = await readdir(service.dataDir, { recursive: true });
    expect(names.some((name) => name.endsWith('.wav'))).toBe(true);
    const open = [];
    for (const name of ['.', ...names]) {
      // A temporary file may have got its final name since.
      const mode = (await stat(join(service.dataDir, name)).catch(() => null))?.mode ?? 0;
      if ((mode & 0o077) !== 0) open.push(`${name} ${(mode & 0o777).toString(8)}`);
    }
    expect(open).toEqual([]);
  });
});
