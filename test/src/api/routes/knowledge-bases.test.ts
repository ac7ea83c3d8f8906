import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { textPdf } from '../../background/knowledge/pdf.ts';
import {
  ADMIN_KEY,
  type Answer,
  createAgent,
  MINIMAL_AGENT,
  OTHER_KEY,
  READ_KEY,
  type TestApi,
  testApi,
} from '../test-api.ts';

const UUID = /^[0-9a-f-]{36}$/;
const PDF = textPdf([{ text: 'We open at nine.', size: 12, y: 700 }]);
const MIB = 1_048_576;

describe('knowledge bases', () => {
  let api: TestApi;
  let path: string;
  let changes: number;

  beforeEach(async () => {
    changes = 0;
    api = await testApi({
      onSourcesChanged: () => {
        changes++;
      },
    });
    const { body } = await api.ask('POST', '/v1/knowledge-bases', { name: 'Hotel' });
    path = `/v1/knowledge-bases/${body.data.id}`;
  });

  async function upload(form: FormData, key = ADMIN_KEY, headers: Record<string, string> = {}): Promise<Answer> {
    const request = new Request('http://calls.test', { method: 'POST', body: form });
    const response = await api.app.inject({
      method: 'POST',
      url: `${path}/sources`,
      headers: { 'x-api-key': key, 'content-type': request.headers.get('content-type') ?? '', ...headers },
      payload: Buffer.from(await request.arrayBuffer()),
    });
    return { status: response.statusCode, body: response.json(), text: response.body, headers: response.headers };
  }

  function form(files: Readonly<Record<string, Uint8Array>>, texts?: unknown): FormData {
    const data = new FormData();
    for (const [name, bytes] of Object.entries(files)) {
      data.append('file_sources', new Blob([new Uint8Array(bytes)], { type: 'application/pdf' }), name);
    }
    if (texts !== undefined) data.append('text_sources', typeof texts === 'string' ? texts : JSON.stringify(texts));
    return data;
  }

  const TEXT = { title: 'Rooms', content: 'A room is 90 euros.' };
  function withField(name: string, value: string): FormData {
    const data = form({}, [TEXT]);
    data.append(name, value);
    return data;
  }

  const storedFiles = () => readdir(join(api.dataDir, 'knowledge'));

  it('are created, listed, read and deleted', async () => {
    const { body } = await api.ask('GET', path);
    expect(body.data).toEqual({
      id: expect.stringMatching(UUID),
      name: 'Hotel',
      created_at: '2026-01-01T00:00:00.000Z',
      status: 'ready',
      error: null,
      organization_id: expect.stringMatching(UUID),
      sources: [],
    });
    await api.ask('POST', '/v1/knowledge-bases', { name: 'Second' });
    const listed = (await api.ask('GET', '/v1/knowledge-bases')).body;
    expect(listed).toMatchObject({ total_items: 2, data: [{ name: 'Second' }, { name: 'Hotel' }] });
    await upload(form({ 'a.pdf': PDF }));
    expect((await api.ask('DELETE', path)).body).toMatchObject({ status: 200, data: null });
    expect((await api.ask('GET', path)).status).toBe(404);
    expect(await storedFiles()).toEqual([]);
    expect((await api.ask('DELETE', path)).status).toBe(404);
  });

  it('get sources once per Idempotency-Key, also from simultaneous requests', async () => {
    const once = { 'idempotency-key': 'upload 1' };
    const again = () => upload(form({ 'a.pdf': PDF }, [{ title: 'T', content: 'x' }]), ADMIN_KEY, once);
    const answers = await Promise.all(Array.from({ length: 10 }, again));
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect((await api.ask('GET', path)).body.data.sources).toEqual(answers[0]?.body.data.sources);
    expect(await storedFiles()).toHaveLength(2);
    const other = await upload(form({ 'b.pdf': PDF }), ADMIN_KEY, once);
    expect([other.status, other.body.error.type]).toEqual([409, 'api_error']);
    expect(await storedFiles()).toHaveLength(2);
    expect((await upload(form({ 'b.pdf': PDF }))).status).toBe(200);
    expect(await storedFiles()).toHaveLength(3);
  });

  it('accept PDF files and texts, which are read after the response', async () => {
    const texts = [{ title: 'Prices', content: 'A room is 90 €.' }];
    const { status, body } = await upload(form({ 'Öffnung.pdf': PDF, 'empty.pdf': Buffer.alloc(0) }, texts));
    expect(status).toBe(200);
    const [first] = body.data.sources;
    expect(first).toEqual({
      id: expect.stringMatching(UUID),
      created_at: '2026-01-01T00:00:00.000Z',
      file_name: 'Öffnung.pdf',
      file_url: `http://calls.test${path}/sources/${first.id}/file`,
      type: 'file',
      status: 'ingesting',
      error: null,
    });
    expect(body.data.status).toBe('ingesting');
    expect(body.data.sources.map((source: { type: string }) => source.type)).toEqual(['file', 'file', 'text']);
    expect((await api.ask('GET', path)).body.data).toEqual(body.data);
    expect(changes).toBe(1);
    expect(await storedFiles()).toHaveLength(3);
  });

  it('return the bytes of a source unchanged', async () => {
    const { body } = await upload(form({ 'ö "x"\r\n.pdf': PDF }, [{ title: 'Prices', content: '90 €' }]));
    const [file, text] = body.data.sources;
    const headers = { 'x-api-key': READ_KEY };
    const fetched = await api.app.inject({ method: 'GET', url: `${path}/sources/${file.id}/file`, headers });
    expect(fetched.headers['content-type']).toBe('application/pdf');
    expect(fetched.headers['content-disposition']).toMatch(/^attachment; filename\*=UTF-8''%C3%B6/);
    expect(fetched.rawPayload.equals(PDF)).toBe(true);
    const fetchedText = await api.app.inject({ method: 'GET', url: `${path}/sources/${text.id}/file`, headers });
    expect(fetchedText.body).toBe('90 €');
    const foreign = { 'x-api-key': OTHER_KEY };
    const refused = await api.app.inject({ method: 'GET', url: `${path}/sources/${file.id}/file`, headers: foreign });
    expect(refused.statusCode).toBe(404);
    expect((await api.app.inject({ method: 'GET', url: `${path}/sources/${file.id}/file` })).statusCode).toBe(401);
  });

  it.each<[string, () => FormData, number, string]>([
    ['nothing', () => form({}), 422, 'file_sources'],
    ['a file that is not a PDF', () => form({ 'a.pdf': PDF, 'b.docx': Buffer.from('PK not a PDF') }), 422, 'only PDF'],
    ['a PDF over 20 MiB', () => form({ 'a.pdf': Buffer.concat([PDF, Buffer.alloc(20 * MIB)]) }), 413, '20 MiB'],
    [
      '21 files',
      () => form(Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`${n}.pdf`, PDF]))),
      422,
      '20 files',
    ],
    ['texts that are not JSON', () => form({ 'a.pdf': PDF }, '[{'), 422, 'text_sources'],
    ['a text without a title', () => form({ 'a.pdf': PDF }, [{ content: 'x' }]), 422, 'text_sources[0].title'],
    ['an empty text', () => form({}, [{ title: 'x', content: '' }]), 422, 'text_sources[0].content'],
    ['a text with U+0000', () => form({}, [{ title: 'x', content: 'a\0' }]), 422, 'text_sources[0].content'],
    ['texts twice', () => withField('text_sources', JSON.stringify([TEXT])), 422, 'text_sources: expected only once'],
    ['another field beside texts', () => withField('url', 'http://x'), 422, 'url'],
    [
      'a text over 1 MiB',
      () => form({}, [{ title: 'x', content: 'x'.repeat(MIB + 1) }]),
      422,
      'text_sources[0].content',
    ],
    ['texts over 4 MiB', () => form({}, 'x'.repeat(4 * MIB + 1)), 413, 'text_sources'],
    [
      '201 texts',
      () =>
        form(
          {},
          Array.from({ length: 201 }, () => ({ title: 'x', content: 'y' })),
        ),
      422,
      'text_sources',
    ],
    [
      'another field',
      () => {
        const data = form({ 'a.pdf': PDF });
        data.append('url', 'http://x');
        return data;
      },
      422,
      'url',
    ],
  ])('refuse %s, and store nothing of the request', async (_fault, data, status, message) => {
    const answer = await upload(data());
    expect(answer).toMatchObject({ status, body: { message: expect.stringContaining(message), error: { status } } });
    expect((await api.ask('GET', path)).body.data.sources).toEqual([]);
    expect(await storedFiles()).toEqual([]);
    expect(changes).toBe(0);
  });

  it('refuse a truncated body and a body that is not multipart', async () => {
    const headers = { 'x-api-key': ADMIN_KEY, 'content-type': 'multipart/form-data; boundary=b' };
    const payload = '--b\r\ncontent-disposition: form-data; name="file_sources"; filename="a.pdf"\r\n\r\n%PDF-1.4';
    const broken = await api.app.inject({ method: 'POST', url: `${path}/sources`, headers, payload });
    expect(broken.statusCode).toBe(400);
    expect((await api.ask('POST', `${path}/sources`, { text_sources: [] })).status).toBe(415);
    expect(await storedFiles()).toEqual([]);
    const otherRoute = await api.app.inject({ method: 'POST', url: '/v1/knowledge-bases', headers, payload });
    expect(otherRoute.statusCode).toBe(415);
  });

  it('hold at most 200 sources', async () => {
    const texts = (count: number) => Array.from({ length: count }, (_, n) => ({ title: `${n}`, content: 'y' }));
    expect((await upload(form({}, texts(199)))).status).toBe(200);
    expect((await upload(form({}, texts(2)))).status).toBe(422);
    expect(await storedFiles()).toHaveLength(199);
    expect((await upload(form({}, texts(1)))).body.data.sources).toHaveLength(200);
  });

  it('delete removed sources and their files', async () => {
    const { body } = await upload(form({ 'a.pdf': PDF, 'b.pdf': PDF }));
    const [a, b] = body.data.sources;
    const removed = await api.ask('DELETE', `${path}/sources`, { source_ids: [a.id, body.data.id] });
    expect(removed.body.data.sources).toEqual([b]);
    expect((await api.ask('GET', path)).body.data.sources).toEqual([b]);
    expect(existsSync(join(api.dataDir, 'knowledge', `${a.id}.pdf`))).toBe(false);
    expect(existsSync(join(api.dataDir, 'knowledge', `${b.id}.pdf`))).toBe(true);
    expect((await api.ask('DELETE', `${path}/sources`, { source_ids: [] })).status).toBe(422);
    expect((await api.ask('DELETE', `${path}/sources`)).status).toBe(422);
  });

  it('derive their status from their sources', async () => {
    const { body } = await upload(form({ 'a.pdf': PDF, 'b.pdf': PDF }));
    const [a, b] = body.data.sources;
    const { knowledgeBases } = api.repositories;
    await knowledgeBases.settle(a.id, { status: 'failed', error: 'it is encrypted' });
    expect((await api.ask('GET', path)).body.data).toMatchObject({ status: 'ingesting', error: null });
    await knowledgeBases.settle(b.id, { status: 'ready', error: null });
    const ready = (await api.ask('GET', path)).body.data;
    expect(ready).toMatchObject({
      status: 'ready',
      error: null,
      sources: [{ error: 'it is encrypted' }, { error: null }],
    });
    await knowledgeBases.removeSources(body.data.id, [b.id]);
    expect((await api.ask('GET', path)).body.data).toMatchObject({ status: 'failed', error: 'it is encrypted' });
  });

  it('get 404 and cannot be used by agents if they belong to another organization', async () => {
    const { body } = await upload(form({ 'a.pdf': PDF }));
    const statuses = [
      await api.ask('GET', path, undefined, OTHER_KEY),
      await api.ask('DELETE', path, undefined, OTHER_KEY),
      await upload(form({ 'a.pdf': PDF }), OTHER_KEY),
      await api.ask('DELETE', `${path}/sources`, { source_ids: [body.data.sources[0].id] }, OTHER_KEY),
      await api.ask('GET', '/v1/knowledge-bases/nonsense'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([404, 404, 404, 404, 404]);
    expect((await api.ask('GET', '/v1/knowledge-bases', undefined, OTHER_KEY)).body.data).toEqual([]);
    expect((await upload(form({ 'a.pdf': PDF }), READ_KEY)).status).toBe(403);
    const agent = { ...MINIMAL_AGENT, knowledge_base_ids: [body.data.id] };
    const refused = await api.ask('POST', '/v1/agents', agent, OTHER_KEY);
    expect(refused.body.error.details).toEqual([expect.objectContaining({ field: 'knowledge_base_ids[0]' })]);
    expect((await api.ask('POST', '/v1/agents', agent)).status).toBe(201);
  });

  it('must exist when a state of an agent refers to them, on create and update', async () => {
    const id = '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11';
    const states = [{ ...MINIMAL_AGENT.states[0], knowledge_base_ids: [id] }];
    const agentId = await createAgent(api);
    for (const answer of [
      await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, states }),
      await api.ask('PATCH', `/v1/agents/${agentId}`, { states }),
    ]) {
      expect(answer.status).toBe(422);
      expect(answer.body.error.details[0].field).toBe('states[0].knowledge_base_ids[0]');
    }
  });

  it('do not prevent other updates of the agents that refer to them, after their deletion', async () => {
    const { body } = await upload(form({ 'a.pdf': PDF }));
    const states = [{ ...MINIMAL_AGENT.states[0], knowledge_base_ids: [body.data.id] }];
    const agentId = await createAgent(api, { states });
    expect((await api.ask('DELETE', path)).status).toBe(200);
    expect((await api.ask('PATCH', `/v1/agents/${agentId}`, { base_prompt: 'Be brief.' })).status).toBe(200);
    const another = await api.ask('PATCH', `/v1/agents/${await createAgent(api)}`, { states });
    expect(another.body.error.details[0].field).toBe('states[0].knowledge_base_ids[0]');
  });
});
