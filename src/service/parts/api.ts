import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { openFileLimit } from '../../../base/limits/open-files.ts';
import { AuditLog } from '../../api/audit/audit-log.ts';
import { connectionsFor } from '../../api/connections/connection-bound.ts';
import type { ApiDependencies } from '../../api/context/route-context.ts';
import { createServer } from '../../api/server.ts';
import { bestPassages } from '../../background/knowledge/stored-knowledge.ts';
import type { Calls } from '../../calls/compose-calls.ts';
import { callModel } from '../../calls/providers/call-providers.ts';
import { missingModel } from '../../calls/providers/missing-model.ts';
import { ProviderLists } from '../../calls/providers/provider-lists.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { AgentTestRuns } from '../../conversation-test/agent-test-runs.ts';
import { CheckRuns } from '../../doctor/check-runs.ts';
import { runChecks } from '../../doctor/checks.ts';
import type { Finding } from '../../doctor/finding.ts';
import { readGauges } from '../../observability/metrics/gauge-readings.ts';
import { MetricsReader } from '../../observability/metrics/metrics-reader.ts';
import { startMetricsServer } from '../../observability/metrics/metrics-server.ts';
import { type CallTraces, createCallTraces } from '../../observability/traces/call-traces.ts';
import { resolveSystemName } from '../../outgoing-http/system-addresses.ts';
import { advertisedAddress } from '../../telephony/advertised-address.ts';
import { TrunkAddressPolicy } from '../../telephony/trunks/trunk-address-policy.ts';
import type { PartContext } from '../lifecycle/part-context.ts';
import { agentRules } from './agent-rules.ts';
import type { CallDependencies } from './calls.ts';
import { answerOtherNodes, viewsOfNodes } from './other-nodes.ts';

/** The HTTP API. Resolves with its URL once it listens. */
export async function startApi(context: PartContext, dependencies: CallDependencies, calls: Calls): Promise<string> {
  const { clock, configuration, lifecycle, listeners, log } = context;
  const { host, port } = { host: configuration.http.bind, port: configuration.http.port };
  const { auditLog: repository } = dependencies.storage.repositories;
  const audit = await lifecycle.start(
    'audit log',
    () => new AuditLog({ repository, clock, log, days: configuration.auditLogDays }),
    (started) => started.close(),
  );
  const agentTests = await lifecycle.start(
    'agent tests',
    () => agentTestRuns(dependencies),
    (started) => started.close(),
  );
  const api = await lifecycle.start(
    'API',
    async () => {
      const server = await createServer({ ...apiDependencies(context, dependencies, calls), agentTests, audit });
      return listening(server, host, port);
    },
    ({ server }) => server.close(),
  );
  for (const listener of api.server.addresses()) if (typeof listener === 'object') listeners.push(listener);
  const { addresses } = dependencies.telephony.signalling;
  listeners.push(...addresses.map((sip) => ({ address: sip.host, port: sip.port })));
  return api.url;
}

async function listening(
  server: FastifyInstance,
  host: string,
  port: number,
): Promise<{ readonly server: FastifyInstance; readonly url: string }> {
  try {
    return { server, url: await server.listen({ host, port }) };
  } catch (error) {
    await server.close();
    throw error;
  }
}

function apiDependencies(
  { clock, configuration, listeners, log, logger, settings }: PartContext,
  dependencies: CallDependencies,
  calls: Calls,
): Omit<ApiDependencies, 'agentTests' | 'audit'> {
  const { background, storedFiles, destinations, publicUrl, registry, storage, telephony } = dependencies;
  const { node, repositories, secrets } = storage;
  const knowledge = { chunks: repositories.knowledgeChunks, vectorSearch: background.embeddings.vectorSearch };
  const { pings, registrations, signalling, sources } = telephony;
  const lists = new ProviderLists(registry, log, () => clock.nowUs() / 1_000);
  const traces = callTraces(configuration, dependencies, calls);
  answerOtherNodes(dependencies, calls, traces);
  return {
    repositories,
    callService: calls.service,
    traces,
    traceElsewhere: (call, trace) => node.traceElsewhere(call, trace),
    ...viewsOfNodes(dependencies, calls),
    webCalls: calls.web,
    eventWatchers: background.eventWatchers,
    deliverer: background.deliverer,
    secrets,
    clock,
    logger,
    settings,
    checkRuns: new CheckRuns((signal) => findingsOf(configuration, signal)),
    listProviders: () => lists.all(),
    rateLimits: configuration.http.rateLimits,
    sharedRequests: node.id === null ? null : repositories.sharedLimits,
    nodeId: node.id,
    docs: configuration.http.docs,
    recordingLinkMs: configuration.http.recordingLinkMs,
    diskLowWaterBytes: configuration.diskLowWaterBytes,
    connectionsMax: connectionsFor(openFileLimit()),
    ...agentRules(configuration, registry),
    destinations,
    trunkAddresses: new TrunkAddressPolicy(configuration.sip.trunkNetworks, configuration.sip.broadRanges, listeners),
    registrations,
    publicUrl,
    files: storedFiles.files,
    isSpooled: storedFiles.isSpooled,
    dataDir: configuration.dataDir,
    searchKnowledge: (organizationId, search) => bestPassages(knowledge, organizationId, search),
    onSourcesChanged: () => {
      background.ingestion.wake();
      node.notifyStored(null);
    },
    // A changed trunk may have another ping interval too.
    reloadAllowedSources: async () => {
      await Promise.all([sources.refresh(), pings.refresh()]);
      node.notifyTrunks();
    },
    checkDatabase: () => node.database.check(),
    takesCalls: () => calls.service.isReady(),
    hasSipServer: () => signalling.addresses.length > 0,
  };
}

function agentTestRuns({ outgoing, registry }: CallDependencies): AgentTestRuns {
  return new AgentTestRuns({
    model: () => callModel(registry.forCall()),
    missingModel: (agent) => missingModel(registry, agent),
    tools: (agent, organizationId) => outgoing.tools(agent, organizationId, null),
  });
}

/** The traces of calls in the memory of this node. */
function callTraces(
  configuration: Configuration,
  { telephony }: Pick<CallDependencies, 'telephony'>,
  calls: Calls,
): CallTraces {
  return createCallTraces({
    sip: telephony.sipTraces,
    live: calls.live,
    sipEndpoint: () => {
      const [first] = telephony.signalling.addresses;
      return { address: first?.host ?? configuration.sip.bind, port: first?.port ?? configuration.sip.port };
    },
    mediaAddress: advertisedAddress(configuration, resolveSystemName).general,
  });
}

async function findingsOf(configuration: Configuration, signal: AbortSignal): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  await runChecks(configuration, { isRunning: true, signal, report: (some) => findings.push(...some) });
  return findings;
}

/** The metrics endpoint, and the metrics sent to a collector. Null without METRICS_BIND, or if its address cannot be bound. */
export async function startMetrics(
  { clock, configuration, lifecycle, listeners, log, metrics }: PartContext,
  { storedFiles, registry, storage, telephony }: CallDependencies,
  calls: Calls,
): Promise<AddressInfo | null> {
  const { metricsBind: bind, telemetry } = configuration;
  const { media, pings, registrations, supervisor } = telephony;
  const { node, repositories } = storage;
  const { uploads } = storedFiles;
  const read = () =>
    readGauges({
      calls,
      node,
      uploads,
      storage: configuration,
      media,
      supervisor,
      repositories,
      pings,
      registrations,
      registry,
      log,
    });
  const started = await lifecycle.start(
    'metrics',
    async () => {
      if (bind === null && telemetry?.sendsMetrics !== true) return null;
      const reader = new MetricsReader(metrics, read);
      const server = bind && (await startMetricsServer({ bind, reader, log }));
      if (telemetry?.sendsMetrics !== true) return { reader, server, pushes: null };
      const { startOtlpMetrics } = await import('../../observability/opentelemetry/otlp-metrics.ts');
      const options = { settings: telemetry, nodeId: node.id, clock, log };
      return { reader, server, pushes: startOtlpMetrics({ ...options, read: () => reader.values() }) };
    },
    async (parts) => {
      await parts?.pushes?.stop();
      await parts?.server?.close();
      parts?.reader.close();
    },
  );
  const address = started?.server?.address ?? null;
  if (address !== null) listeners.push(address);
  return address;
}
