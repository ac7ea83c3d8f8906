import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Provider } from '../../adapters/registry/provider.ts';
import { createStallSafeClock } from '../../base/time/stall-safe-clock.ts';
import type { WorkerMediaService } from '../../sip/media/main-thread/create-media-service.ts';
import type { MediaStatistics } from '../../sip/media/media-service.ts';
import type { Signalling } from '../../sip/signalling/signalling.ts';
import type { Calls } from '../calls/compose-calls.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Setting } from '../configuration/settings.ts';
import type { LogRecords } from '../log/log-records.ts';
import { Metrics } from '../observability/metrics/metrics.ts';
import { summedMedia } from '../observability/metrics/summed-media.ts';
import { SipTraces } from '../observability/traces/sip-traces.ts';
import { makeFirstApiKey } from '../secrets/api-key.ts';
import type { Repositories } from '../storage/repositories.ts';
import { createDestinationPolicy } from '../telephony/destinations/destination-policy.ts';
import type { SipSupervisor, SipSupervisorOptions } from '../telephony/sip-supervisor.ts';
import type { PartContext } from './lifecycle/part-context.ts';
import { Lifecycle, type PartName } from './lifecycle/service-parts.ts';
import { startApi, startMetrics } from './parts/api.ts';
import { startBackground, startRetention } from './parts/background.ts';
import { backingServers } from './parts/backing-servers.ts';
import { startCallIntake } from './parts/call-intake.ts';
import { startCalls } from './parts/calls.ts';
import { startObjectStorage } from './parts/object-storage.ts';
import { startOutgoingHttp } from './parts/outgoing-http.ts';
import { startProviders } from './parts/providers.ts';
import { startStorage } from './parts/storage.ts';
import { startTelephony } from './parts/telephony.ts';
import { startTracing } from './parts/tracing.ts';

export interface ServiceOptions {
  readonly configuration: Configuration;
  /** The settings that `configuration` was read from, for the API. */
  readonly settings: readonly Setting[];
  readonly log: Logger;
  /** Providers beside the built-in ones; none with call hosts, which do not know them. */
  readonly providers?: readonly Provider[];
  readonly onTrace?: SipSupervisorOptions['onTrace'];
  /** The lines of `log`, which OTEL_LOGS_EXPORTER sends. */
  readonly logRecords?: LogRecords;
  /** Called after the start of each part; an error of it fails the start. */
  readonly onPartStarted?: (name: PartName) => void;
}

/** A running service. */
export interface Service {
  readonly httpUrl: string;
  /** Null without metrics, or if their address could not be bound. */
  readonly metricsAddress: AddressInfo | null;
  readonly signalling: Pick<Signalling, 'addresses'>;
  readonly sip: Pick<SipSupervisor, 'statistics' | 'reloadTls'>;
  /** `statistics` counts the media of call hosts too, as of their last beat. The rest is of this process. */
  readonly media: WorkerMediaService;
  readonly repositories: Repositories;
  readonly liveCalls: () => number;
  /** A key generated at the first start, to be shown once; otherwise null. */
  readonly firstApiKey: string | null;
  /** Resolves with the number of calls of a dead process that were ended. */
  readonly recovered: Promise<number>;
  /** Accepts no new call, lets calls in progress finish within `graceMs`, ends the rest, and stops all parts. Idempotent. */
  stop(graceMs: number): Promise<void>;
}

/** Starts the parts of the service in order. If one fails, stops those that started, and rejects with its error. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const lifecycle = new Lifecycle(options.onPartStarted);
  try {
    return await startParts(options, lifecycle);
  } catch (error) {
    // The error of the start says more than an error of the clean-up.
    await lifecycle.stop(0).catch(() => {});
    throw error;
  }
}

async function startParts(options: ServiceOptions, lifecycle: Lifecycle): Promise<Service> {
  const { configuration, log, settings } = options;
  const clock = createStallSafeClock();
  const context: PartContext = {
    configuration,
    settings,
    log,
    logger: log,
    clock,
    metrics: new Metrics(),
    lifecycle,
    listeners: [...backingServers(configuration)],
  };
  let httpUrl = '';
  const publicUrl = () => configuration.http.publicUrl ?? httpUrl;

  const registry = await startProviders(context, options.providers);
  const storage = await startStorage(context);
  const storedFiles = await startObjectStorage(context, storage);
  const sipTraces = new SipTraces();
  const tracing = await startTracing(context, storage, sipTraces, options.logRecords);
  const outgoing = await startOutgoingHttp(context, storage.secrets);
  const background = await startBackground(context, storage, storedFiles, outgoing.http, registry, tracing);
  const telephony = await startTelephony(context, storage, sipTraces, options.onTrace);
  const destinations = createDestinationPolicy(configuration.sip.destinations);
  const dependencies = {
    storage,
    storedFiles,
    registry,
    outgoing,
    background,
    telephony,
    destinations,
    publicUrl,
    tracing,
  };
  const calls = await startCalls(context, dependencies);
  httpUrl = await startApi(context, dependencies, calls);
  const metricsAddress = await startMetrics(context, dependencies, calls);
  await telephony.supervisor.protectListeners();
  await startRetention(context, storage.repositories, storedFiles);
  await startCallIntake(context, dependencies, calls);
  return {
    httpUrl,
    metricsAddress,
    signalling: telephony.signalling,
    sip: telephony.supervisor,
    media: allMedia(telephony.media, calls),
    repositories: storage.repositories,
    liveCalls: () => calls.liveCalls(),
    // After all parts have started: the key of a failed start would never be shown.
    firstApiKey: await makeFirstApiKey(storage.repositories.organizations, clock.wallMs()),
    recovered: calls.recovered,
    stop: (graceMs) => lifecycle.stop(graceMs),
  };
}

function allMedia(own: WorkerMediaService, { hosts }: Pick<Calls, 'hosts'>): WorkerMediaService {
  return {
    workers: own.workers,
    ready: () => own.ready(),
    load: () => own.load(),
    open: (options) => own.open(options),
    openWeb: (options) => own.openWeb(options),
    capacity: () => own.capacity(),
    close: () => own.close(),
    statistics: async () => {
      const others = hosts().flatMap(({ reading }) => reading?.media ?? []);
      return others.reduce<MediaStatistics>(summedMedia, await own.statistics());
    },
  };
}
