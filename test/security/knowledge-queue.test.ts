import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { DATABASES } from '../postgres/databases.ts';
import type { ApiClient } from '../service/rig/api-client.ts';
import { eventually } from '../service/rig/eventually.ts';
import { TEST_API_KEY } from '../service/rig/service-process.ts';
import { startTestService } from '../service/rig/test-service.ts';
import { pdfOfStreams, stream, textPdf } from '../src/background/knowledge/pdf.ts';
import { otherOrganization } from './other-organization.ts';

const MIB = 1_048_576;
const MORE_THAN_ANY_DISK_MB = '999999';
const LINES = '(abcdefgh ijk lmnop) Tj 0 -14 Td (abcdefgh ijk lmnop) Tj 0 14 Td ';
/** A PDF of some KiB with a page of 40 MiB of text. */
const SLOW_PDF = pdfOfStreams([
  stream(
    deflateSync(Buffer.from(`BT /F1 12 Tf 72 700 Td ${LINES.repeat((40 * MIB) / LINES.length)} ET`)),
    '/Filter /FlateDecode',
  ),
]);
const PDF = textPdf([{ text: 'We open at nine.', size: 12, y: 700 }]);

const baseSchema = z.looseObject({ id: z.string(), sources: z.array(z.looseObject({ status: z.string() })) });

async function newBase(api: ApiClient): Promise<string> {
  return (await api.requestOk(baseSchema, 'POST', '/v1/knowledge-bases', { name: 'Hotel' })).id;
}

async function upload(httpUrl: string, baseId: string, key: string, files: readonly Uint8Array[], text?: string) {
  const body = new FormData();
  for (const bytes of files) body.append('file_sources', new Blob([new Uint8Array(bytes)]), 'a.pdf');
  if (text !== undefined) body.append('text_sources', JSON.stringify([{ title: 'Text', content: text }]));
  const url = `${httpUrl}/v1/knowledge-bases/${baseId}/sources`;
  return (await fetch(url, { method: 'POST', headers: { 'x-api-key': key }, body })).status;
}

describe.each(DATABASES)('on %s', (_, environment) => {
  it('PDFs that unpack to much text do not keep the sources of another organization waiting', async () => {
    const test = await startTestService(await environment());
    onTestFinished(test.close);
    const other = await otherOrganization(test);
    const { httpUrl } = test.service;
    const [attackers, victims] = [await newBase(test.api), await newBase(other.api)];
    expect(await upload(httpUrl, attackers, TEST_API_KEY, [SLOW_PDF, SLOW_PDF, SLOW_PDF, SLOW_PDF])).toBe(200);
    expect(await upload(httpUrl, victims, other.key, [PDF], 'Hello')).toBe(200);
    const statuses = async (api: ApiClient, id: string) =>
      (await api.requestOk(baseSchema, 'GET', `/v1/knowledge-bases/${id}`)).sources.map(({ status }) => status);
    await eventually(async () => expect(await statuses(other.api, victims)).toEqual(['ready', 'ready']), 90_000);
    expect(await statuses(test.api, attackers)).toContain('ingesting');
  });

  it('uploads cannot fill the disk below the low-water mark', async () => {
    const test = await startTestService({ ...(await environment()), DISK_LOW_WATER_MB: MORE_THAN_ANY_DISK_MB });
    onTestFinished(test.close);
    const baseId = await newBase(test.api);
    expect(await upload(test.service.httpUrl, baseId, TEST_API_KEY, [PDF])).toBe(503);
    expect(await upload(test.service.httpUrl, baseId, TEST_API_KEY, [], 'Hello')).toBe(503);
    expect(await readdir(join(test.dataDir, 'knowledge'))).toEqual([]);
  });

  it('simultaneous uploads cannot exceed the sources of a base', async () => {
    const test = await startTestService(await environment());
    onTestFinished(test.close);
    const baseId = await newBase(test.api);
    const files = Array<Uint8Array>(20).fill(PDF);
    const statuses = await Promise.all(
      Array.from({ length: 12 }, () => upload(test.service.httpUrl, baseId, TEST_API_KEY, files)),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    const { sources } = await test.api.requestOk(baseSchema, 'GET', `/v1/knowledge-bases/${baseId}`);
    expect(sources).toHaveLength(200);
  });
});
