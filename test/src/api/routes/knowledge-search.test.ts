import { describe, expect, it } from 'vitest';
import { multipart } from '../document/world.ts';
import { ADMIN_KEY, OTHER_KEY, READ_KEY, type TestApi, testApi } from '../test-api.ts';

const PASSAGES = [
  { page: 1, heading: 'Breakfast', content: 'Breakfast is served from seven to ten.' },
  { page: 2, heading: 'Breakfast', content: 'Breakfast in the room costs nine euros; breakfast is free for children.' },
  { page: 3, heading: 'Pool', content: 'The pool closes at nine.' },
];

/** The path of a knowledge base with one source that has been read. */
async function baseWithSource(api: TestApi): Promise<{ readonly path: string; readonly sourceId: string }> {
  const { id } = (await api.ask('POST', '/v1/knowledge-bases', { name: 'Hotel' })).body.data;
  const form = new FormData();
  form.append('text_sources', JSON.stringify([{ title: 'House rules', content: 'x' }]));
  const { payload, contentType } = await multipart(form);
  const headers = { 'x-api-key': ADMIN_KEY, 'content-type': contentType };
  const url = `/v1/knowledge-bases/${id}/sources`;
  const sourceId = (await api.app.inject({ method: 'POST', url, headers, payload })).json().data.sources[0].id;
  await api.repositories.knowledgeChunks.add(id, sourceId, PASSAGES);
  await api.repositories.knowledgeBases.settle(sourceId, { status: 'ready', error: null });
  return { path: `/v1/knowledge-bases/${id}`, sourceId };
}

describe('a search in a knowledge base', () => {
  it('gives the passages that an agent would get, with their scores, best first', async () => {
    const api = await testApi();
    const { path, sourceId } = await baseWithSource(api);
    const { body } = await api.ask('GET', `${path}/search?query=When%20is%20breakfast`, undefined, READ_KEY);
    expect(body.data).toHaveLength(2);
    expect(body.data[0]).toMatchObject({
      source_id: sourceId,
      file_name: 'House rules',
      heading: 'Breakfast',
      score: 1,
    });
    const [first, second] = body.data.map(({ score }) => score);
    expect(second).toBeLessThan(first ?? 0);
    expect((await api.ask('GET', `${path}/search?query=parking`)).body.data).toEqual([]);
  });

  it('finds nothing for another organization, and asks for words', async () => {
    const api = await testApi();
    const { path } = await baseWithSource(api);
    expect((await api.ask('GET', `${path}/search?query=breakfast`, undefined, OTHER_KEY)).status).toBe(404);
    for (const query of ['', '?query=', '?query=%20', `?query=${'x'.repeat(1_001)}`]) {
      const answer = await api.ask('GET', `${path}/search${query}`);
      expect([answer.status, answer.body.error.details[0].field]).toEqual([422, 'query']);
    }
  });
});

describe('the text that was read from a source', () => {
  it('comes page by page, in parts', async () => {
    const api = await testApi();
    const { path, sourceId } = await baseWithSource(api);
    const url = `${path}/sources/${sourceId}/text`;
    expect((await api.ask('GET', url, undefined, READ_KEY)).body).toMatchObject({ data: PASSAGES, next_cursor: null });
    const { body: first } = await api.ask('GET', `${url}?limit=2`);
    expect(first.data).toEqual(PASSAGES.slice(0, 2));
    const { body: second } = await api.ask('GET', `${url}?limit=2&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ data: PASSAGES.slice(2), next_cursor: null });
  });

  it('is empty for a source that was not read, and 404 for another organization', async () => {
    const api = await testApi();
    const { path, sourceId } = await baseWithSource(api);
    const url = `${path}/sources/${sourceId}/text`;
    expect((await api.ask('GET', url, undefined, OTHER_KEY)).status).toBe(404);
    expect((await api.ask('GET', `${path}/sources/${crypto.randomUUID()}/text`)).status).toBe(404);
    expect((await api.ask('GET', `${url}?cursor=x`)).status).toBe(422);
    await api.repositories.knowledgeBases.settle(sourceId, { status: 'failed', error: 'damaged' });
    expect((await api.ask('GET', url)).body.data).toEqual([]);
  });
});
