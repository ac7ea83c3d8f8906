import type { ProviderMetrics } from '../../../adapters/decorators/metrics/provider-metrics.ts';
import { WorkerEndOfTurnModel } from '../../../adapters/end-of-turn/worker-end-of-turn-model.ts';
import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import { createRegistry } from '../../../adapters/registry/provider-registry.ts';
import { createMediaService, type WorkerMediaService } from '../../../sip/media/main-thread/create-media-service.ts';
import type { CallHost } from '../../calls/host/call-host.ts';
import { LocalCallHost } from '../../calls/host/local-call-host.ts';
import type { HostConfiguration, HostMessage, HostSettings } from '../../calls/host-process/host-messages.ts';
import { BEAT_MS } from '../../calls/host-process/host-slot.ts';
import type { CallServices } from '../../calls/host-process/service-access.ts';
import { LoadMeter } from '../../calls/overload/load-meter.ts';
import { OverloadGuard } from '../../calls/overload/overload-guard.ts';
import { callProviders, warmProviders } from '../../calls/providers/call-providers.ts';
import { openPhraseCache } from '../../calls/providers/configured-phrase-cache.ts';
import type { Log } from '../../log/log.ts';
import { readHost } from './host-reading.ts';

/** One for each host: the hosts share the cores. */
const MEDIA_WORKERS = 1;

export interface HostContext {
  readonly send: (message: HostMessage) => void;
  readonly services: CallServices;
  readonly log: Log;
}

/** The parts of a call host. */
export interface StartedHost {
  readonly calls: CallHost;
  /** Closes all parts. The calls have ended before. */
  stop(): Promise<void>;
}

/** Starts the parts of a call host. Rejects with the error of the first that fails; the process then exits. */
export async function startHost({ configuration }: HostSettings, context: HostContext): Promise<StartedHost> {
  const { log, send, services } = context;
  const metrics: ProviderMetrics = {
    providerFailed: (part, { code, provider }) => send({ type: 'provider_failed', part, error: { code, provider } }),
    firstByte: (part, provider, ms) => send({ type: 'first_byte', part, provider, ms }),
  };
  const phrases = await openPhraseCache(configuration, log);
  const registry = createRegistry(configuration.providers, { metrics, phrases: phrases ?? undefined });
  const media = startMedia(configuration, log);
  const endOfTurnModel = startEndOfTurnModel(configuration.endOfTurnModel, log);
  await media.ready();
  const stopBeats = startBeats(media, registry, configuration.rtp.admissionLatenessMs, send);
  const calls = new LocalCallHost({
    media,
    dataDir: configuration.dataDir,
    diskLowWaterBytes: configuration.diskLowWaterBytes,
    metrics,
    providers: (agent) => callProviders(registry, agent),
    warm: (agent) => warmProviders(registry, agent),
    tools: services.tools,
    knowledge: services.knowledge,
    endOfTurnModel,
  });
  return {
    calls,
    stop: async () => {
      stopBeats();
      await media.close();
      await endOfTurnModel?.close();
      await registry.close();
      await phrases?.close();
    },
  };
}

function startMedia({ diskLowWaterBytes, rtp }: HostConfiguration, log: Log): WorkerMediaService {
  return createMediaService({
    bindAddress: rtp.bind,
    ports: rtp.ports,
    sockets: rtp.sockets,
    workers: MEDIA_WORKERS,
    latenessMsMax: rtp.admissionLatenessMs,
    lowWaterBytes: diskLowWaterBytes,
    onSockets: ({ type, reason }) => log.info({ type, reason }, 'media sockets chosen'),
    onWorkerExit: (reason) => log.error({ reason }, 'media worker exited'),
    onRecordingIncomplete: (path, reason) => log.warn({ path, reason }, 'recording incomplete'),
  });
}

function startEndOfTurnModel(path: string | null, log: Log): WorkerEndOfTurnModel | null {
  if (path === null) return null;
  return new WorkerEndOfTurnModel({
    path,
    nowMs: () => performance.now(),
    onReady: () => log.info({ path }, 'end-of-turn model loaded'),
    onFailed: (error) => log.error({ path, err: error }, 'end-of-turn model failed'),
  });
}

function startBeats(
  media: WorkerMediaService,
  registry: Registry,
  latenessMsMax: number,
  send: HostContext['send'],
): () => void {
  let legs = 0;
  const overload = new OverloadGuard(() => legs);
  overload.start(new LoadMeter({ media: () => media.load(), databaseRequests: () => 0, latenessMsMax }));
  const guarded = overload.guard(media);
  let last = performance.eventLoopUtilization();
  let dueMs = performance.now() + BEAT_MS;
  const timer = setInterval(async () => {
    const delayMs = Math.max(0, performance.now() - dueMs);
    dueMs = performance.now() + BEAT_MS;
    const current = performance.eventLoopUtilization();
    const busyShare = performance.eventLoopUtilization(current, last).utilization;
    last = current;
    legs = (await media.statistics()).sessions;
    send({ type: 'beat', reading: await readHost(media, guarded.capacity(), registry, { busyShare, delayMs }) });
  }, BEAT_MS);
  return () => {
    clearInterval(timer);
    overload.close();
  };
}
