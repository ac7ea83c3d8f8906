import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DEFAULT_ORGANIZATION_ID } from '../../../src/storage/access/organization-repository.ts';
import type { ChatBody } from '../../providers/openai/chat-emulator.ts';
import { textAnswer, toolCallsAnswer } from '../../providers/openai/chat-script.ts';
import { startOpenAiEmbeddingEmulator } from '../../providers/openai/embedding-emulator.ts';
import { meanings } from '../../src/background/knowledge/embedding-bed.ts';
import { textPdf } from '../../src/background/knowledge/pdf.ts';
import { heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { startServiceProcess, TEST_API_KEY } from '../rig/service-process.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService } from '../rig/test-service.ts';

const HOURS = textPdf(
  [{ text: 'Rooms have a view.', size: 12, y: 700 }],
  [
    { text: 'Opening hours', size: 24, y: 700 },
    { text: 'The desk opens at nine.', size: 12, y: 660 },
  ],
);
const baseSchema = z.looseObject({
  id: z.string(),
  status: z.string(),
  sources: z.array(z.looseObject({ status: z.string(), error: z.string().nullable() })),
});

async function addPdf(httpUrl: string, baseId: string, ...files: readonly Uint8Array[]): Promise<void> {
  const body = new FormData();
  for (const bytes of files) body.append('file_sources', new Blob([new Uint8Array(bytes)]), 'hotel.pdf');
  const url = `${httpUrl}/v1/knowledge-bases/${baseId}/sources`;
  const response = await fetch(url, { method: 'POST', headers: { 'x-api-key': TEST_API_KEY }, body });
  expect(response.status).toBe(200);
}

/** A model that searches once and then speaks the result. */
function searching(body: ChatBody) {
  const last = body.messages.at(-1);
  if (last?.role === 'tool') return textAnswer('The desk opens at nine.');
  const call = { id: 'call_1', name: 'search_knowledge', arguments: '{"query":"opening hours desk"}' };
  return last?.role === 'user' ? toolCallsAnswer([call]) : textAnswer('Yes.');
}

describe('a knowledge base', () => {
  const cleanUp: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const close of cleanUp.splice(0).reverse()) await close();
  });

  it('is searched during a call, and the model gets the passage and its page', async () => {
    const providers = await startEmulatedProviders({
      chat: searching,
      listen: { steps: heardLine('When do you open?', 4_000, 5_500) },
    });
    cleanUp.push(providers.close);
    const embedding = await startOpenAiEmbeddingEmulator(meanings);
    cleanUp.push(embedding.close);
    const test = await startTestService({
      ...providers.environment,
      EMBEDDING_MODEL: 'small',
      EMBEDDING_API_KEY: embedding.apiKey,
      EMBEDDING_BASE_URL: embedding.baseUrl,
    });
    cleanUp.push(test.close);
    const base = await test.api.requestOk(baseSchema, 'POST', '/v1/knowledge-bases', { name: 'Hotel' });
    await addPdf(test.service.httpUrl, base.id, HOURS, Buffer.from('%PDF-1.4 broken'));
    const path = `/v1/knowledge-bases/${base.id}`;
    const tooLarge = new FormData();
    tooLarge.append('file_sources', new Blob([new Uint8Array(40 * 1_048_576)]), 'large.pdf');
    const refused = await fetch(`${test.service.httpUrl}${path}/sources`, {
      method: 'POST',
      headers: { 'x-api-key': TEST_API_KEY },
      body: tooLarge,
    });
    expect(await refused.json()).toMatchObject({ status: 413 });
    await eventually(async () =>
      expect(await test.api.requestOk(baseSchema, 'GET', path)).toMatchObject({
        status: 'ready',
        sources: [{ status: 'ready' }, { status: 'failed', error: 'the PDF is truncated: its end is missing' }],
      }),
    );
    await eventually(async () => {
      const vectors = test.service.repositories.knowledgeVectors;
      expect(await vectors.embeddedSources(DEFAULT_ORGANIZATION_ID, [base.id], 'small')).toHaveLength(1);
    });
    expect(embedding.requests).toMatchObject([
      { model: 'small', input: ['Rooms have a view.', 'Opening hours\nThe desk opens at nine.'] },
    ]);
    const agent = await test.api.createAgent(talker({ initial_message: 'Hello.', knowledge_base_ids: [base.id] }));
    const { callId } = await dialIn(test, agent.id);
    await eventually(async () => {
      const { transcript } = await test.api.call(callId);
      expect(transcript?.find(({ role }) => role === 'tool_response')).toMatchObject({
        name: 'search_knowledge',
        successful: true,
        // Passages found by embedding may follow, if they came in time.
        content: expect.stringMatching(/^\[hotel\.pdf, page 2, Opening hours\]\nThe desk opens at nine\./),
      });
    }, 20_000);
    await test.api.requestOk(z.null(), 'POST', `/v1/calls/${callId}/terminate`);
    expect(embedding.requests[1]?.input).toEqual(['opening hours desk']);
    const [request] = providers.openai.requests;
    expect(request?.tools?.map((tool) => tool.function.name)).toEqual(['search_knowledge']);
  });

  it('becomes ready after the next start if its process was killed while reading a source', async () => {
    const first = await startServiceProcess();
    cleanUp.push(() => first.kill());
    const base = await first.api.requestOk(baseSchema, 'POST', '/v1/knowledge-bases', { name: 'Hotel' });
    await addPdf(first.httpUrl, base.id, HOURS);
    await first.kill();
    const second = await startServiceProcess({ DATA_DIR: first.dataDir });
    cleanUp.push(() => second.kill());
    await eventually(async () =>
      expect(await second.api.requestOk(baseSchema, 'GET', `/v1/knowledge-bases/${base.id}`)).toMatchObject({
        status: 'ready',
        sources: [{ status: 'ready', error: null }],
      }),
    );
  });
});
