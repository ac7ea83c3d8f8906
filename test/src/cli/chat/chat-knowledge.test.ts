import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chatCommand } from '../../../../src/cli/commands/chat.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../../../src/storage/access/organization-repository.ts';
import { openDatabase } from '../../../../src/storage/database/database.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { DATABASES } from '../../../postgres/databases.ts';
import { type ChatBody, startOpenAiEmulator } from '../../../providers/openai/chat-emulator.ts';
import { textAnswer, toolCallsAnswer } from '../../../providers/openai/chat-script.ts';
import { AGENT, folderOf } from '../text-call/test-folder.ts';

const OPENING = 'The desk opens at nine.';

/** A model that searches once and repeats the tool result. */
function searching(body: ChatBody) {
  if (body.response_format !== undefined) return textAnswer('{}');
  const last = body.messages.at(-1);
  if (last?.role === 'tool') return textAnswer(String(last.content));
  return toolCallsAnswer([{ id: 'c1', name: 'search_knowledge', arguments: '{"query":"when does the desk open"}' }]);
}

/** The database of a service, closed again, with a knowledge base of one text. Returns the id of the base. */
async function storeBase(dataDir: string, databaseUrl: string | null, organization?: string): Promise<string> {
  const database = await openDatabase({ dataDir, databaseUrl });
  const { knowledgeBases, knowledgeChunks, organizations } = createRepositories(database);
  await organizations.ensureDefault(1);
  const [id, sourceId] = [randomUUID(), randomUUID()];
  const other = organization === undefined ? null : await organizations.addOrganization(organization, 1);
  await knowledgeBases.create({
    id,
    organizationId: other?.id ?? DEFAULT_ORGANIZATION_ID,
    name: 'Hotel',
    createdMs: 1,
  });
  const source = { id: sourceId, knowledgeBaseId: id, type: 'text', fileName: 'Hours', error: null } as const;
  await knowledgeBases.addSources([{ ...source, status: 'ready', attempts: 1, createdMs: 1 }]);
  await knowledgeChunks.add(id, sourceId, [{ page: null, heading: '', content: OPENING }]);
  await database.close();
  return id;
}

async function chat(baseIds: readonly string[], environment: Record<string, string>) {
  const emulator = await startOpenAiEmulator(searching);
  onTestFinished(() => emulator.close());
  const [first, ...states] = AGENT.states;
  const agent = { ...AGENT, variables: [], states: [{ ...first, knowledge_base_ids: baseIds }, ...states] };
  const path = join(await folderOf({ 'agent.json': agent }), 'agent.json');
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const output = text(stdout);
  const errors = text(stderr);
  stdin.end('When do you open?\n');
  const provider = { OPENAI_BASE_URL: emulator.baseUrl, OPENAI_API_KEY: emulator.apiKey };
  const status = await chatCommand([path], { ...provider, ...environment }, { stdin, stdout, stderr });
  stdout.end();
  stderr.end();
  return { status, output: await output, errors: await errors };
}

describe('trunkline chat with an agent that has a knowledge base', () => {
  it.each(DATABASES)('answers from its passages in the database of the service, on %s', async (_, settings) => {
    const environment = { DATA_DIR: await mkdtemp(join(tmpdir(), 'trunkline-chat-')), ...(await settings()) };
    const { DATABASE_URL = null } = { DATABASE_URL: undefined, ...environment };
    const baseId = await storeBase(environment.DATA_DIR, DATABASE_URL);
    const { status, output, errors } = await chat([baseId], environment);
    expect(errors).toBe('');
    expect(status).toBe(0);
    expect(output).toMatch(/^agent .*The desk opens at nine\./m);
  });

  it('does not start with a base that the database does not contain', async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'trunkline-chat-'));
    await storeBase(DATA_DIR, null);
    const unknown = randomUUID();
    const { status, errors } = await chat([unknown], { DATA_DIR });
    expect(status).toBe(2);
    expect(errors).toContain(`knowledge_base_ids: ${unknown} not found`);
  });

  it('does not start with bases of two organizations', async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'trunkline-chat-'));
    const baseIds = [await storeBase(DATA_DIR, null), await storeBase(DATA_DIR, null, 'Other')];
    const { status, errors } = await chat(baseIds, { DATA_DIR });
    expect(status).toBe(2);
    expect(errors).toBe('knowledge_base_ids: expected knowledge bases of one organization\n');
  });

  it('does not start, and creates nothing, without the database of a service', async () => {
    const DATA_DIR = join(tmpdir(), `trunkline-chat-${randomUUID()}`);
    const { status, errors } = await chat([randomUUID()], { DATA_DIR });
    expect(status).toBe(2);
    expect(errors).toBe(`there is no database in ${DATA_DIR}: is DATA_DIR the one of the service?\n`);
  });
});
