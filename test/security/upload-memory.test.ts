import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { DATABASES } from '../postgres/databases.ts';
import { eventually } from '../service/rig/eventually.ts';
import { TEST_API_KEY } from '../service/rig/service-process.ts';
import { startTestService, type TestService } from '../service/rig/test-service.ts';

const MIB = 1_048_576;
/** Simultaneous uploads of one key, and bytes of each that are sent. */
const UPLOADS = 30;
const SENT = 2 * MIB;
/** Bytes of one upload that may be in memory: what two streams buffer. */
const HELD_MAX = 131_072;
const BOUNDARY = 'boundary';
const HEAD =
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file_sources"; filename="a.pdf"\r\n` +
  'content-type: application/pdf\r\n\r\n%PDF-1.4\n';

/** An upload that sends its bytes but not its end. */
async function startUpload({ service, api }: TestService): Promise<ClientRequest> {
  const { id } = await api.requestOk(z.looseObject({ id: z.string() }), 'POST', '/v1/knowledge-bases', {
    name: 'Hotel',
  });
  const upload = request(`${service.httpUrl}/v1/knowledge-bases/${id}/sources`, {
    method: 'POST',
    headers: { 'x-api-key': TEST_API_KEY, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  });
  upload.write(`${HEAD}${'x'.repeat(SENT)}`);
  return upload;
}

describe.each(DATABASES)('on %s', (_, environment) => {
  it('unfinished uploads are on the disk, not in memory', async () => {
    const test = await startTestService(await environment());
    onTestFinished(test.close);
    const uploads: ClientRequest[] = [];
    for (let count = 0; count < UPLOADS; count++) uploads.push(await startUpload(test));
    const folder = join(test.dataDir, 'knowledge');
    await eventually(async () => {
      const sizes = await Promise.all(
        (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size),
      );
      expect(sizes).toHaveLength(UPLOADS);
      expect(SENT - Math.min(...sizes), 'bytes of an upload that are held').toBeLessThan(HELD_MAX);
    }, 60_000);
    const responses = uploads.map((upload) => once(upload, 'response'));
    for (const upload of uploads) upload.end(`\r\n--${BOUNDARY}--\r\n`);
    const statuses = (await Promise.all(responses)).map(([response]) => response.statusCode);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});
