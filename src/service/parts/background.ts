import { withEmbedderMetrics } from '../../../adapters/decorators/metrics/provider-metrics.ts';
import { configuredEmbedder } from '../../../adapters/registry/embedders.ts';
import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import { RollupRunner } from '../../background/analytics/rollup-runner.ts';
import { composeEmbeddings, type Embeddings } from '../../background/knowledge/compose-embeddings.ts';
import { Ingestion } from '../../background/knowledge/ingestion.ts';
import { PostCallRunner } from '../../background/post-call/post-call-runner.ts';
import { Retention } from '../../background/retention/retention.ts';
import { WebhookDeliverer } from '../../background/webhooks/webhook-deliverer.ts';
import { StoredEventWatchers } from '../../calls/api-requests/stored-event-watchers.ts';
import type { CallTracing } from '../../observability/opentelemetry/call-tracing.ts';
import type { GuardedHttp } from '../../outgoing-http/guarded-http.ts';
import type { Repositories } from '../../storage/repositories.ts';
import type { PartContext } from '../lifecycle/part-context.ts';
import type { StoredFiles } from './object-storage.ts';
import { signingSecrets } from './signing-secrets.ts';
import type { Storage } from './storage.ts';

export interface Background {
  readonly deliverer: WebhookDeliverer;
  readonly eventWatchers: StoredEventWatchers;
  readonly embeddings: Embeddings;
  readonly ingestion: Ingestion;
  /** A call has ended: questions about it and its rollup are due. Null: several may have. */
  readonly onEnded: (callId: string | null) => void;
  /** Events of a call were stored: this node and others look for deliveries. Null: of several calls. */
  readonly onStored: (callId: string | null) => void;
  /** Starts or continues all background work, and wakes the event streams of the calls. Null: of all calls. */
  readonly wake: (callIds: readonly string[] | null) => void;
}

/** The background work: webhooks, embeddings, knowledge ingestion, post-call questions, rollups. Each waits for its `wake`. */
export async function startBackground(
  context: PartContext,
  { node, repositories, secrets }: Storage,
  stored: StoredFiles,
  http: GuardedHttp,
  registry: Registry,
  tracing: CallTracing | null,
): Promise<Background> {
  const { clock, lifecycle, log } = context;
  const deliverer = await lifecycle.start(
    'webhook delivery',
    () =>
      new WebhookDeliverer({
        outbox: repositories.outbox,
        receivers: receivers(repositories, secrets),
        http,
        clock,
        log,
        tracing,
      }),
    (started) => started.stop(),
  );
  const { embeddings, ingestion } = await startKnowledge(context, { node, repositories }, stored);
  const eventWatchers = new StoredEventWatchers();
  const onStored = (callId: string | null): void => {
    deliverer.wake();
    eventWatchers.wake(callId);
    node.notifyStored(callId);
  };
  const postCall = await lifecycle.start(
    'post-call questions',
    () =>
      new PostCallRunner({
        repositories,
        model: (provider) => {
          const found = registry.languageModel(provider);
          return found.status === 'found' ? found.adapter : null;
        },
        clock,
        log,
        onStored,
      }),
    (started) => started.stop(),
  );
  const rollups = await lifecycle.start(
    'call rollups',
    () => new RollupRunner({ repositories, clock, log }),
    (started) => started.stop(),
  );
  const onEnded = (callId: string | null): void => {
    postCall.wake();
    rollups.wake();
    node.notifyStored(callId);
  };
  const wake = (callIds: readonly string[] | null): void => {
    for (const part of [deliverer, postCall, ingestion, embeddings, rollups]) part.wake();
    for (const callId of callIds ?? [null]) eventWatchers.wake(callId);
  };
  return { deliverer, eventWatchers, embeddings, ingestion, onEnded, onStored, wake };
}

function receivers(
  repositories: Pick<Repositories, 'agents' | 'webhookSecrets'>,
  secrets: Pick<Storage['secrets'], 'open'>,
): ConstructorParameters<typeof WebhookDeliverer>[0]['receivers'] {
  return {
    signingSecrets: signingSecrets(repositories, secrets),
    disableWebhook: (agentId, url, nowMs) => repositories.agents.disableWebhook(agentId, url, nowMs),
  };
}

async function startKnowledge(
  { clock, configuration, lifecycle, log, metrics }: PartContext,
  { node, repositories }: Pick<Storage, 'node' | 'repositories'>,
  { files, isSpooled }: StoredFiles,
): Promise<Pick<Background, 'embeddings' | 'ingestion'>> {
  const { dataDir, providers } = configuration;
  const embeddings = await lifecycle.start(
    'embeddings',
    () => {
      const embedder = configuredEmbedder(providers);
      return composeEmbeddings({
        embedder: embedder && withEmbedderMetrics(embedder, metrics),
        vectors: repositories.knowledgeVectors,
        clock,
        log,
      });
    },
    (started) => started.stop(),
  );
  const ingestion = await lifecycle.start(
    'knowledge ingestion',
    () => new Ingestion({ repositories, dataDir, files, isSpooled, clock, log, onReady: embeddings.wake }),
    (started) => started.stop(),
  );
  // Another node that shares the folder may be ingesting a file right now.
  if (isSpooled || (await node.isAlone())) await ingestion.clearFiles();
  return { embeddings, ingestion };
}

/** Deletes the content of old calls; nothing without RETENTION_DAYS. */
export async function startRetention(
  { clock, configuration, lifecycle, log }: PartContext,
  { callDeletion: deletion }: Repositories,
  { files }: Pick<StoredFiles, 'files'>,
): Promise<void> {
  const { dataDir, retentionDays: days } = configuration;
  await lifecycle.start(
    'retention',
    () => {
      if (days === null) return null;
      const retention = new Retention({
        days,
        deletion,
        files,
        dataDir,
        clock,
        onSwept: (calls) => log.info({ calls, days }, 'call content deleted'),
        onFault: (callId, error) => log.error({ call_id: callId, err: error }, 'call content deletion failed'),
      });
      retention.start();
      return retention;
    },
    (retention) => retention?.stop(),
  );
}
