import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { withVoiceTiming } from '../../adapters/decorators/timing/voice-timing.ts';
import { configuredEmbedder } from '../../adapters/registry/embedders.ts';
import type { Provider } from '../../adapters/registry/provider.ts';
import type { Registry } from '../../adapters/registry/registry.ts';
import type { Clock } from '../../base/time/clock.ts';
import { createStallSafeClock } from '../../base/time/stall-safe-clock.ts';
import { checkGraph } from '../../engine/agent/graph-check.ts';
import { createMediaPlane, type WorkerMediaPlane } from '../../sip/media/main-thread/create-media-plane.ts';
import { createSignalling } from '../../sip/signalling/create-signalling.ts';
import type { Signalling } from '../../sip/signalling/signalling.ts';
import { recordingLink } from '../api/recordings/recording-link.ts';
import { createServer } from '../api/server.ts';
import { composeEmbeddings } from '../background/knowledge/compose-embeddings.ts';
import { Ingestion } from '../background/knowledge/ingestion.ts';
import { PostCallRunner } from '../background/post-call/post-call-runner.ts';
import { Retention } from '../background/retention/retention.ts';
import { WebhookDeliverer } from '../background/webhooks/webhook-deliverer.ts';
import { composeCalls } from '../calls/compose-calls.ts';
import { HttpToolRunner } from '../calls/custom-functions/http-tool-runner.ts';
import { MappingPool } from '../calls/custom-functions/mapping-pool.ts';
import { openPhraseCache } from '../calls/providers/phrase-cache.ts';
import { configuredRegistry, knownProviders } from '../calls/providers/provider-registry.ts';
import { CallWatchers } from '../calls/requests/call-watchers.ts';
import { openNode } from '../cluster/node.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { ConfigurationError } from '../configuration/configuration-error.ts';
import { readGauges } from '../observability/metrics/gauge-readings.ts';
import { meteredEmbedder, meteredProviders } from '../observability/metrics/metered-providers.ts';
import { meteredRepositories } from '../observability/metrics/metered-repositories.ts';
import { Metrics } from '../observability/metrics/metrics.ts';
import { startMetricsServer } from '../observability/metrics/metrics-server.ts';
import { createCallTraces } from '../observability/traces/call-traces.ts';
import { SipTraces } from '../observability/traces/sip-traces.ts';
import { AddressPolicy, type OwnListener } from '../outgoing-http/address-policy.ts';
import { GuardedHttp } from '../outgoing-http/guarded-http.ts';
import { localAddresses, resolveSystemName } from '../outgoing-http/system-addresses.ts';
import { makeFirstApiKey, setEnvironmentKey } from '../secrets/api-key.ts';
import { databaseSecrets } from '../secrets/master-key.ts';
import type { Repositories } from '../storage/repositories.ts';
import { advertisedAddress } from '../telephony/advertised-address.ts';
import { createDestinationPolicy } from '../telephony/destinations/destination-policy.ts';
import { AllowedSourceList } from '../telephony/inbound-policy/allowed-sources.ts';
import { SipSupervisor, type SipSupervisorOptions } from '../telephony/sip-supervisor.ts';
import { TrunkPings } from '../telephony/trunks/trunk-pings.ts';
import { TrunkRegistrations } from '../telephony/trunks/trunk-registrations.ts';

export interface ServiceOptions {
  readonly configuration: Configuration;
  readonly log: Logger;
  /** Providers beside the built-in ones. */
  readonly providers?: readonly Provider[];
  readonly onTrace?: SipSupervisorOptions['onTrace'];
}

/** A running service. */
export interface Service {
  readonly httpUrl: string;
  /** Null where metrics are off, or their address could not be had. */
  readonly metricsAddress: AddressInfo | null;
  readonly signalling: Pick<Signalling, 'addresses'>;
  readonly sip: Pick<SipSupervisor, 'statistics' | 'kill' | 'reloadTls'>;
  readonly media: WorkerMediaPlane;
  /** What is kept, for whoever runs the service inside their own process. */
  readonly repositories: Repositories;
  readonly liveCalls: () => number;
  /** A key made at this first start, to be shown once; null where there was one. */
  readonly firstApiKey: string | null;
  /** How many calls of a dead process were ended. */
  readonly recovered: Promise<number>;
  /** Takes no new call, lets those in progress finish within `graceMs`, ends the rest, and closes. Idempotent. */
  stop(graceMs: number): Promise<void>;
}

/** Composes the service and starts it. Rejects where a port, the database or a worker cannot be had. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { configuration, log } = options;
  const { dataDir, http, rtp, sip } = configuration;
  const clock = createStallSafeClock();
  const phrases = await openPhraseCache(configuration, log);
  const metrics = new Metrics();
  const registry = configuredRegistry(configuration, options.providers, (voice, server) =>
    phrases.inFront(
      withVoiceTiming(voice, ({ provider }, ms) => metrics.firstByte('voice', provider, ms)),
      server,
    ),
  );
  checkDefaults(registry, configuration);
  await mkdir(join(dataDir, 'recordings'), { recursive: true, mode: 0o700 });
  const node = await openNode(configuration, clock, log);
  const repositories = meteredRepositories(node.repositories, metrics);
  const secrets = await databaseSecrets(configuration, repositories.masterKeyProof).catch(async (error: unknown) => {
    await node.close();
    throw error;
  });
  await setEnvironmentKey(repositories.organizations, configuration.apiKey, clock.wallMs());

  const listeners: OwnListener[] = [];
  const policy = new AddressPolicy({ allow: http.allowAddresses, ownListeners: () => listeners, localAddresses });
  const guarded = new GuardedHttp(policy, resolveSystemName);
  const mappings = new MappingPool();
  const deliverer = new WebhookDeliverer({
    outbox: repositories.outbox,
    receivers: {
      signingSecrets: async (agentId, nowMs) => {
        const sealed = await repositories.webhookSecrets.signing(agentId, nowMs);
        return sealed.map((secret) => secrets.open(secret, 'webhook_secret'));
      },
      disableWebhook: (agentId, url, nowMs) => repositories.agents.disableWebhook(agentId, url, nowMs),
    },
    http: guarded,
    clock,
    log,
  });

  const media = createMediaPlane({
    bindAddress: rtp.bind,
    ports: rtp.ports,
    maximumLatenessMs: rtp.admissionLatenessMs,
    lowWaterBytes: configuration.diskLowWaterBytes,
    onWorkerExit: (reason) => log.error({ reason }, 'a media worker died; its calls go on in the next one'),
    onRecordingIncomplete: (path, reason) => log.warn({ path, reason }, 'a recording is incomplete'),
  });
  const sipTraces = new SipTraces();
  const supervisor = new SipSupervisor({
    sip,
    onDeath: (reason) => log.error({ reason }, 'the SIP server died and is started again'),
    onTrace: (entry) => {
      sipTraces.take(entry);
      options.onTrace?.(entry);
    },
  });
  const sources = new AllowedSourceList({
    trunks: repositories.sipTrunks,
    allow: sip.allowAddresses,
    clock,
    onList: (list) => {
      if (!list.open) {
        // What gets no answer leaves no other trace but a counter.
        log.info({ answered: list.listed }, 'SIP is answered for these addresses alone: every trunk lists its own');
      }
      supervisor.allow(list).catch((error: unknown) => log.warn({ err: error }, 'the SIP server is not there'));
    },
    log,
  });
  await sources.refresh();
  // A service that says it has started takes a call at once: not before its media workers have loaded.
  const [signalling] = await Promise.all([
    createSignalling({
      server: () => supervisor.server(),
      onFault: (error) => log.warn({ err: error }, 'signalling'),
    }),
    media.ready(),
  ]);

  const embedder = configuredEmbedder(configuration.providers);
  const embeddings = composeEmbeddings({
    embedder: embedder && meteredEmbedder(embedder, metrics),
    vectors: repositories.knowledgeVectors,
    clock,
    log,
  });
  const ingestion = new Ingestion({ repositories, dataDir, clock, log, onReady: embeddings.wake });
  // Another node may be taking a file in at this moment.
  if (await node.isAlone()) await ingestion.clearFiles();
  const callWatchers = new CallWatchers();
  const destinations = createDestinationPolicy(configuration.sip.allowedPrefixes);
  const onStored = (): void => {
    deliverer.wake();
    callWatchers.wake();
    node.notifyStored();
  };
  const postCall = new PostCallRunner({
    repositories,
    model: (provider) => {
      const found = registry.languageModel(provider);
      return found.status === 'found' ? found.adapter : null;
    },
    clock,
    log,
    onStored,
  });
  const pings = new TrunkPings({ trunks: repositories.sipTrunks, signalling, clock, log });
  await pings.refresh();
  let httpUrl = '';
  const publicUrl = () => http.publicUrl ?? httpUrl;
  const calls = await composeCalls({
    destinations,
    secrets,
    configuration,
    repositories,
    registry,
    media,
    signalling,
    meaning: embeddings.meaning,
    isUnreachable: pings.isUnreachable,
    meter: (providers) => meteredProviders(providers, metrics),
    tools: ({ sealedSecrets }) =>
      new HttpToolRunner({
        http: guarded,
        mappings,
        resolveSecret: (reference) => {
          const sealed = sealedSecrets.get(reference);
          if (sealed === undefined) throw new Error(`the agent has no ${reference}`);
          return secrets.open(sealed, 'secret_header');
        },
      }),
    clock,
    log,
    recordingUrl: (call) => recordingLink(call, publicUrl(), secrets, clock.wallMs()),
    onLeg: (callId, leg, sipCallId) => sipTraces.assignLeg(callId, leg, sipCallId),
    onStored,
    onEnded: () => {
      postCall.wake();
      node.notifyStored();
    },
    node,
  });

  const wake = (): void => {
    deliverer.wake();
    callWatchers.wake();
    postCall.wake();
    ingestion.wake();
    embeddings.wake();
  };
  await node.join({
    wake,
    terminate: (callId) => calls.runtime.terminate(callId),
    isLive: (callId) => calls.runtime.isLive(callId),
    post: (callId, order) => calls.runtime.postLive(callId, order),
    closeOrphaned: (call) => calls.closeOrphaned(call),
    expireStaged: () => repositories.calls.expireStaged(clock.wallMs()),
  });

  const registrations = new TrunkRegistrations({
    signalling,
    secrets,
    clock,
    random: Math.random,
    onChange: (trunkId, { status, error }) => log.info({ trunk_id: trunkId, status, error }, 'a registration changed'),
    onFault: (trunkId, error) => log.error({ trunk_id: trunkId, err: error }, 'a trunk cannot be registered'),
  });
  for (const trunk of await repositories.sipTrunks.registering()) registrations.add(trunk);

  const api = await createServer({
    repositories,
    callService: calls.runtime,
    traces: createCallTraces({
      sip: sipTraces,
      live: calls.live,
      sipEndpoint: () => {
        const [first] = signalling.addresses;
        return { address: first?.host ?? sip.bind, port: first?.port ?? sip.port };
      },
      mediaAddress: advertisedAddress(configuration, resolveSystemName).general,
    }),
    webCalls: calls.web,
    callWatchers,
    deliverer,
    secrets,
    clock,
    logger: log,
    rateLimits: http.rateLimits,
    agentDefaults: configuration.agentDefaults,
    providers: knownProviders(registry),
    providerOfModel: registry.providerOfModel,
    checkGraph,
    destinations,
    registrations,
    pings,
    publicUrl,
    dataDir,
    onSourcesChanged: () => {
      ingestion.wake();
      node.notifyStored();
    },
    // A trunk that was changed may be pinged on other terms, too.
    onCallersChanged: async () => {
      await Promise.all([sources.refresh(), pings.refresh()]);
    },
    checkDatabase: () => node.database.check(),
    takesCalls: () => !calls.runtime.draining,
  });
  httpUrl = await api.listen({ host: http.bind, port: http.port });
  for (const listener of api.addresses()) if (typeof listener === 'object') listeners.push(listener);
  listeners.push(...ownSip(signalling));
  const read = () => readGauges({ calls, media, supervisor, repositories, pings, log });
  const { metricsBind } = configuration;
  const metricsServer = metricsBind && (await startMetricsServer({ metrics, bind: metricsBind, read, log }));
  if (metricsServer !== null) listeners.push(metricsServer.address);
  void calls.finishRecordings();
  wake();

  const retention = startRetention(configuration, repositories, clock, log);
  // Once everything has started: a key of a start that failed would have been shown to nobody.
  const firstApiKey = await makeFirstApiKey(repositories.organizations, clock.wallMs());

  let stopping: Promise<void> | null = null;
  const stop = async (graceMs: number): Promise<void> => {
    await Promise.all([calls.runtime.drain(graceMs), registrations.stop()]);
    await api.close();
    await metricsServer?.close();
    await Promise.all([sources.stop(), pings.stop()]);
    await signalling.close();
    await supervisor.close();
    await media.close();
    await postCall.stop();
    await ingestion.stop();
    await embeddings.stop();
    await deliverer.stop();
    await retention?.stop();
    mappings.close();
    await guarded.close();
    await registry.close();
    await phrases.close();
    await node.close();
  };
  return {
    httpUrl,
    metricsAddress: metricsServer?.address ?? null,
    signalling,
    sip: supervisor,
    media,
    repositories,
    liveCalls: () => calls.liveCalls(),
    firstApiKey,
    recovered: calls.recovered,
    stop: (graceMs) => {
      stopping ??= stop(graceMs);
      return stopping;
    },
  };
}

function ownSip(signalling: Signalling): OwnListener[] {
  return signalling.addresses.map(({ host, port }) => ({ address: host, port }));
}

/** Null where everything is kept. */
function startRetention(
  { dataDir, retentionDays: days }: Configuration,
  { callDeletion: deletion }: Repositories,
  clock: Clock,
  log: Logger,
): Retention | null {
  if (days === null) return null;
  const retention = new Retention({
    days,
    deletion,
    dataDir,
    clock,
    onSwept: (calls) => log.info({ calls, days }, 'what was said on old calls is deleted'),
    onFault: (callId, error) => log.error({ call_id: callId, err: error }, 'an old call could not be deleted'),
  });
  retention.start();
  return retention;
}

/** An agent that names no provider gets these: a name that nobody has would come to light only then. */
function checkDefaults(registry: Registry, { agentDefaults: { llm, transcriber, voice } }: Configuration): void {
  const lookups = [
    ['DEFAULT_LLM_PROVIDER', registry.languageModel(llm.provider)],
    ['DEFAULT_VOICE_PROVIDER', registry.voice(voice.provider)],
    ['DEFAULT_TRANSCRIBER_PROVIDER', registry.transcriber(transcriber.provider)],
  ] as const;
  const problems = lookups.flatMap(([variable, { status, ...found }]) =>
    status === 'unknown' && 'known' in found ? [{ variable, expected: `one of ${found.known.join(', ')}` }] : [],
  );
  if (problems.length > 0) throw new ConfigurationError(problems);
}
