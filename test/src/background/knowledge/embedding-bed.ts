import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { configuredEmbedder } from '../../../../adapters/registry/embedders.ts';
import { createStallSafeClock } from '../../../../base/time/stall-safe-clock.ts';
import { EmbeddingRunner } from '../../../../src/background/knowledge/embedding-runner.ts';
import { storedKnowledge } from '../../../../src/background/knowledge/stored-knowledge.ts';
import { VectorSearch } from '../../../../src/background/knowledge/vector-search.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../../../src/storage/access/organization-repository.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import { createRepositories, type Repositories } from '../../../../src/storage/repositories.ts';
import {
  type EmbeddingAnswer,
  type EmbeddingBody,
  startOpenAiEmbeddingEmulator,
} from '../../../providers/openai/embedding-emulator.ts';
import { START_MS } from '../../storage/temporary-database.ts';

/** Wide, so that a busy machine does not exceed it. */
const TIMEOUT_MS = 30_000;
/** Groups of synonyms. Each dimension of a text's vector counts the words of one group. */
const MEANINGS = [
  ['parking', 'vehicle', 'garage'],
  ['breakfast', 'eat', 'buffet'],
  ['pool', 'swim', 'sauna'],
];

/** Embeds a text by the meaning of its words. The last dimension is a small constant, so that no vector is zero. */
export function meaningOf(text: string): number[] {
  const words = text.toLowerCase();
  return [...MEANINGS.map((meaning) => meaning.filter((word) => words.includes(word)).length), 0.1];
}

export function meanings({ input }: EmbeddingBody): EmbeddingAnswer {
  return { type: 'vectors', vectors: input.map(meaningOf) };
}

/** A timer whose pauses the test ends. */
export class ManualPauses {
  readonly requestedMs: number[] = [];
  readonly #waiting: (() => void)[] = [];
  #onRequested = (): void => {};

  after(delayMs: number, callback: () => void): () => void {
    this.requestedMs.push(delayMs);
    this.#waiting.push(callback);
    this.#onRequested();
    return () => {};
  }

  /** Resolves once `count` pauses have been requested in total. */
  async reached(count: number): Promise<void> {
    while (this.requestedMs.length < count) {
      await new Promise<void>((resolve) => {
        this.#onRequested = resolve;
      });
    }
  }

  end(): void {
    this.#waiting.shift()?.();
  }
}

/** The id of a new knowledge base of another organization. */
export async function addOtherBase({ knowledgeBases, organizations }: Repositories): Promise<string> {
  const { id: organizationId } = await organizations.addOrganization('Other', START_MS);
  const id = randomUUID();
  await knowledgeBases.create({ id, organizationId, name: 'Other', createdMs: START_MS });
  return id;
}

/** Adds a ready source of these chunks, and returns its id. */
export async function addSourceTo(
  { knowledgeBases, knowledgeChunks }: Repositories,
  knowledgeBaseId: string,
  contents: readonly string[],
): Promise<string> {
  const id = randomUUID();
  const source = { id, knowledgeBaseId, type: 'text', fileName: 'Hotel', error: null } as const;
  await knowledgeBases.addSources([{ ...source, status: 'ready', attempts: 1, createdMs: START_MS }]);
  const chunks = contents.map((content) => ({ page: null, heading: '', content }));
  await knowledgeChunks.add(knowledgeBaseId, id, chunks);
  return id;
}

/** A knowledge base with an embedder over a real socket, and its runner and search. */
export async function embeddingBed(
  database: Database,
  script: (body: EmbeddingBody, nth: number) => EmbeddingAnswer = meanings,
) {
  const repositories = createRepositories(database);
  const { knowledgeBases, knowledgeChunks, knowledgeVectors } = repositories;
  const emulator = await startOpenAiEmbeddingEmulator(script);
  onTestFinished(() => emulator.close());
  const baseId = randomUUID();
  const organizationId = DEFAULT_ORGANIZATION_ID;
  await knowledgeBases.create({ id: baseId, organizationId, name: 'Hotel', createdMs: START_MS });

  const addSource = (...contents: readonly string[]) => addSourceTo(repositories, baseId, contents);
  const embedderOf = (model: string) => {
    const access = { EMBEDDING_API_KEY: emulator.apiKey, EMBEDDING_BASE_URL: emulator.baseUrl };
    const embedder = configuredEmbedder({ EMBEDDING_MODEL: model, ...access });
    if (embedder === null) throw new Error('not configured');
    onTestFinished(() => embedder.close());
    return embedder;
  };
  const warnings: string[] = [];
  const log = { warn: (fields: object, message?: string) => warnings.push(`${message} ${JSON.stringify(fields)}`) };
  const runnerOf = (model = 'small') => {
    const pauses = new ManualPauses();
    const clock = { after: pauses.after.bind(pauses) };
    const runner = new EmbeddingRunner({ embedder: embedderOf(model), vectors: knowledgeVectors, clock, log });
    onTestFinished(() => runner.stop());
    runner.wake();
    return { runner, pauses };
  };
  /** Whether all sources are embedded. */
  const isDone = async (model = 'small') => (await knowledgeVectors.organizationsToEmbed(model)).length === 0;
  const searcherOf = (model = 'small', withinMs = TIMEOUT_MS) => {
    const clock = createStallSafeClock();
    const vectorSearch = new VectorSearch({
      embedder: embedderOf(model),
      vectors: knowledgeVectors,
      clock,
      log,
      withinMs,
    });
    onTestFinished(() => vectorSearch.close());
    return vectorSearch;
  };
  const search = (query: string, vectorSearch: VectorSearch | null, organization: string = organizationId) =>
    new Promise<readonly string[]>((resolve, reject) =>
      storedKnowledge({ chunks: knowledgeChunks, vectorSearch, organizationId: organization, onFault: reject }).search(
        { knowledgeBaseIds: [baseId], query },
        (result) => resolve(result.type === 'found' ? result.passages.map(({ content }) => content) : ['failed']),
      ),
    );
  const vectors = () => database.query.selectFrom('knowledge_vectors').selectAll().orderBy('chunk_id').execute();
  return {
    repositories,
    emulator,
    baseId,
    addSource,
    addSourceTo,

    runnerOf,
    isDone,
    searcherOf,
    search,
    vectors,
    warnings,
  };
}
