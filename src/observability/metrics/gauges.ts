import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ProviderCircuit } from '../../../adapters/registry/provider-registry.ts';
import { openFileLimit, openFiles } from '../../../base/limits/open-files.ts';
import type { MediaWorkerView } from '../../../sip/media/main-thread/create-media-service.ts';
import type { MediaStatistics } from '../../../sip/media/media-service.ts';
import type { ServerStatistics } from '../../../sip/server/server-statistics.ts';
import type { UploadBacklog } from '../../object-storage/call-uploads.ts';
import type { OpenWork } from '../../storage/calls/open-work-repository.ts';
import type { Reachability } from '../../telephony/trunks/trunk-pings.ts';

/** Resolution of the event loop delay, ms: finer than a 20 ms packet, at a cost of a hundred wake-ups per second. */
const EVENT_LOOP_RESOLUTION_MS = 10;
const QUANTILES = [50, 99] as const;

type WorkerSockets = NonNullable<MediaWorkerView['sockets']>;
const SOCKETS: readonly WorkerSockets[] = ['epoll', 'dgram'];

type Label = 'host' | 'limit' | 'status' | 'quantile' | 'trunk' | 'provider' | 'part' | 'sockets';

/** A call host in a separate process. */
export interface CallHostReading {
  readonly host: number;
  /** Whether it takes calls. */
  readonly isRunning: boolean;
  /** Its processes that have exited. */
  readonly exits: number;
  /** Null: no process has reported yet. */
  readonly reading: {
    readonly media: GaugeReadings['media'];
    readonly circuits: readonly CircuitReading[];
    readonly loopBusyShare: number;
    readonly loopDelayMs: number;
    readonly residentBytes: number;
    readonly cpuSeconds: number;
  } | null;
}

export interface CircuitReading extends Pick<ProviderCircuit, 'provider' | 'part'> {
  readonly isOpen: boolean;
}

/** Whether new calls are taken, and each limit of the load as a share; null before the first reading. */
export interface OverloadReading {
  readonly phase: 'open' | 'limited' | 'closed';
  readonly reading: Readonly<Record<string, number>> | null;
}

const PHASES: Readonly<Record<OverloadReading['phase'], number>> = { open: 0, limited: 1, closed: 2 };

/** The file system of `DATA_DIR`. */
export interface DiskReading {
  readonly freeBytes: number;
  /** Below it recordings, tapes and uploads stop (`DISK_LOW_WATER_MB`). */
  readonly lowWaterBytes: number;
}

/** Current values of the parts of the service. null: the part did not answer. */
export interface GaugeReadings {
  readonly liveCalls: number;
  /** Whether this node does the work that one of several nodes does for all. */
  readonly leads: boolean;
  readonly overload: OverloadReading;
  readonly media: MediaStatistics & {
    readonly skipped: number;
    readonly underruns: number;
    /** The sockets of each worker that has loaded. */
    readonly sockets: readonly WorkerSockets[];
  };
  /** Empty: the service runs its calls itself. */
  readonly hosts: readonly CallHostReading[];
  /** Also null with an external drachtio server. */
  readonly sip: ServerStatistics | null;
  readonly openWork: OpenWork | null;
  /** Null without an object store. */
  readonly uploads: UploadBacklog | null;
  /** Null where the file system does not report its free space. */
  readonly disk: DiskReading | null;
  /** By trunk id, for trunks with reachability checks. */
  readonly trunks: ReadonlyMap<string, Pick<Reachability, 'reachable' | 'roundTripMs'>>;
  /** By trunk id, for trunks that this node registers. */
  readonly registrations: ReadonlyMap<string, { readonly status: string }>;
  /** The circuit breakers of the configured providers, in each process that runs calls. */
  readonly circuits: readonly CircuitReading[];
}

/** Metrics that are read at each scrape. */
export class Gauges {
  readonly #registry: Registry;
  readonly #gauges = new Map<string, Gauge<Label>>();
  readonly #counters = new Map<string, Counter>();
  readonly #eventLoop = monitorEventLoopDelay({ resolution: EVENT_LOOP_RESOLUTION_MS });

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#eventLoop.enable();
  }

  close(): void {
    this.#eventLoop.disable();
  }

  set(readings: GaugeReadings): void {
    const { liveCalls, leads, overload, media, hosts, sip, openWork, uploads } = readings;
    const { circuits, disk, registrations, trunks } = readings;
    this.#gauge('trunkline_live_calls', 'Live calls in this process.', liveCalls);
    const leader = '1 if this node delivers webhooks, registers trunks and does other work for all nodes, else 0.';
    this.#gauge('trunkline_node_leader', leader, leads ? 1 : 0);
    this.#setOverload(overload);
    this.#setMedia(media);
    this.#setHosts(hosts);
    if (sip !== null) this.#setSip(sip);
    this.#setOpenWork(openWork);
    if (uploads !== null) this.#setUploads(uploads);
    if (disk !== null) this.#setDisk(disk);
    this.#setTrunks(trunks);
    this.#setRegistrations(registrations);
    this.#setCircuits(circuits);
    this.#setProcess();
  }

  #setOverload({ phase, reading }: OverloadReading): void {
    const help = 'New calls: 0 taken, 1 taken as far as the load allows, 2 refused with 503.';
    this.#gauge('trunkline_overload_phase', help, PHASES[phase]);
    const load = this.#registered(
      'trunkline_load_ratio',
      'Load of this process as a share of the limit from which on calls are refused.',
      ['limit'],
    );
    for (const [limit, share] of Object.entries(reading ?? {})) load.set({ limit }, share);
  }

  #setMedia(media: GaugeReadings['media']): void {
    this.#gauge('trunkline_media_legs', 'Open RTP legs.', media.sessions);
    const workers = this.#registered('trunkline_media_workers', 'Media workers, by their sockets.', ['sockets']);
    for (const type of SOCKETS)
      workers.set({ sockets: type }, media.sockets.filter((chosen) => chosen === type).length);
    this.#gauge(
      'trunkline_media_lateness_p99_seconds',
      'Lateness of sent packets in the last second, 99th percentile of the worst media worker.',
      media.latenessP99Ms / 1_000,
    );
    this.#gauge('trunkline_media_busy_ratio', 'Utilization of the busiest media worker, 0 to 1.', media.busyShare);
    this.#counter('trunkline_media_packets_received_total', 'RTP packets received.', media.packetsReceived);
    this.#counter('trunkline_media_packets_sent_total', 'RTP packets sent.', media.packetsSent);
    this.#counter(
      'trunkline_media_packets_dropped_total',
      'Received RTP packets that were dropped.',
      media.packetsDropped,
    );
    this.#counter(
      'trunkline_media_packets_skipped_total',
      'Packets skipped because they were due too long ago.',
      media.skipped,
    );
    this.#counter(
      'trunkline_media_underruns_total',
      'Packets that ended early because the voice was late.',
      media.underruns,
    );
  }

  #setHosts(hosts: readonly CallHostReading[]): void {
    const of = (name: string, help: string, pick: (host: CallHostReading) => number | null) => {
      if (hosts.length === 0) return;
      const gauge = this.#registered(`trunkline_call_host_${name}`, help, ['host']);
      gauge.reset();
      for (const callHost of hosts) {
        const value = pick(callHost);
        if (value !== null) gauge.set({ host: callHost.host }, value);
      }
    };
    of('up', '1 if the call host takes calls, else 0.', ({ isRunning }) => Number(isRunning));
    of('exits', 'Processes of the call host that have exited.', ({ exits }) => exits);
    of('legs', 'Open RTP legs of the call host.', ({ reading }) => reading?.media.sessions ?? null);
    of('loop_busy_ratio', 'Utilization of the event loop of the call host, 0 to 1.', ({ reading }) => {
      return reading?.loopBusyShare ?? null;
    });
    of('loop_delay_seconds', 'Event loop delay of the call host at its last heartbeat.', ({ reading }) => {
      return reading === null ? null : reading.loopDelayMs / 1_000;
    });
    of('resident_memory_bytes', 'Memory of the call host, all threads.', ({ reading }) => {
      return reading?.residentBytes ?? null;
    });
    of('cpu_seconds', 'CPU time of the process of the call host, all threads.', ({ reading }) => {
      return reading?.cpuSeconds ?? null;
    });
  }

  #setSip(sip: ServerStatistics): void {
    this.#gauge('trunkline_sip_transactions', 'Open SIP transactions.', sip.transactions);
    this.#gauge('trunkline_sip_dialogs', 'Open SIP dialogs.', sip.dialogs);
    this.#gauge('trunkline_sip_connections', 'Open SIP connections over TCP and TLS.', sip.connections);
    this.#counter('trunkline_sip_malformed_total', 'Packets and streams without a valid SIP message.', sip.malformed);
    this.#counter(
      'trunkline_sip_over_rate_total',
      'Messages dropped because their source exceeded its rate.',
      sip.overRate,
    );
    this.#counter(
      'trunkline_sip_unknown_sources_total',
      'Messages from unknown sources: addresses that no trunk allows.',
      sip.unknownSources,
    );
    this.#counter('trunkline_sip_scanners_total', 'Messages from SIP scanners.', sip.scanners);
    this.#counter(
      'trunkline_sip_invites_limited_total',
      'INVITEs rejected because their source failed too often.',
      sip.invitesLimited,
    );
    this.#counter(
      'trunkline_sip_refusals_unreported_total',
      'INVITEs that the SIP server refused itself, beyond the rate at which they are logged and counted by cause.',
      sip.refusalsUnreported,
    );
    this.#counter(
      'trunkline_sip_connections_refused_total',
      'Connections refused at a connection limit.',
      sip.connectionsRefused,
    );
    this.#counter('trunkline_sip_internal_errors_total', 'Internal errors of the SIP server.', sip.internalErrors);
  }

  /** Unavailable values are omitted: an old value would look current. */
  #setOpenWork(openWork: OpenWork | null): void {
    this.#gauge('trunkline_database_up', '1 if the database answered this scrape, else 0.', openWork === null ? 0 : 1);
    const calls = this.#registered('trunkline_calls', 'Calls that have not ended, by status.', ['status']);
    const pending = this.#registered('trunkline_webhook_pending', 'Webhook events that are not delivered yet.', []);
    calls.reset();
    pending.reset();
    if (openWork === null) {
      pending.remove();
      return;
    }
    for (const [status, total] of openWork.openCalls) calls.set({ status }, total);
    pending.set(openWork.pendingDeliveries);
  }

  #setUploads({ calls, oldestMs }: UploadBacklog): void {
    this.#gauge('trunkline_upload_backlog_calls', 'Ended calls whose files wait for the object store.', calls);
    this.#gauge(
      'trunkline_upload_backlog_age_seconds',
      'Time that the first of these calls has waited since its end or the start of the process.',
      oldestMs / 1_000,
    );
  }

  #setDisk({ freeBytes, lowWaterBytes }: DiskReading): void {
    this.#gauge('trunkline_disk_free_bytes', 'Free space of the file system of DATA_DIR.', freeBytes);
    const help = 'Free space below which recordings, tapes and uploads stop (DISK_LOW_WATER_MB).';
    this.#gauge('trunkline_disk_low_water_bytes', help, lowWaterBytes);
  }

  #setTrunks(trunks: GaugeReadings['trunks']): void {
    const reachable = this.#registered('trunkline_trunk_reachable', '1 if the trunk responds to OPTIONS, else 0.', [
      'trunk',
    ]);
    const help = 'Round-trip time of the last OPTIONS request to the trunk, seconds.';
    const roundTrip = this.#registered('trunkline_trunk_round_trip_seconds', help, ['trunk']);
    reachable.reset();
    roundTrip.reset();
    for (const [trunk, state] of trunks) {
      reachable.set({ trunk }, state.reachable ? 1 : 0);
      if (state.roundTripMs !== null) roundTrip.set({ trunk }, state.roundTripMs / 1_000);
    }
  }

  #setRegistrations(registrations: GaugeReadings['registrations']): void {
    const help = '1 if the trunk is registered at its carrier, else 0.';
    const registered = this.#registered('trunkline_trunk_registered', help, ['trunk']);
    registered.reset();
    for (const [trunk, { status }] of registrations) registered.set({ trunk }, status === 'registered' ? 1 : 0);
  }

  /** Each process has its own breakers. */
  #setCircuits(circuits: readonly CircuitReading[]): void {
    const help = '1 if the circuit breaker of the provider is open or half-open, in one process at least, else 0.';
    const open = this.#registered('trunkline_provider_circuit_open', help, ['provider', 'part']);
    // An open breaker of one process counts, whatever those of the others say.
    const closedFirst = circuits.toSorted((a, b) => Number(a.isOpen) - Number(b.isOpen));
    for (const { isOpen, part, provider } of closedFirst) open.set({ provider, part }, isOpen ? 1 : 0);
  }

  #setProcess(): void {
    const help = 'Event loop delay of the main thread since the last scrape, seconds.';
    const delay = this.#registered('trunkline_event_loop_delay_seconds', help, ['quantile']);
    // Before the first tick the histogram is empty and returns NaN.
    const seconds = (ns: number) => (Number.isFinite(ns) ? ns / 1e9 : 0);
    for (const percent of QUANTILES) {
      delay.set({ quantile: String(percent / 100) }, seconds(this.#eventLoop.percentile(percent)));
    }
    delay.set({ quantile: '1' }, seconds(this.#eventLoop.max));
    this.#eventLoop.reset();
    const { heapUsed, rss } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    this.#gauge('process_resident_memory_bytes', 'Memory of the process, all threads.', rss);
    this.#gauge('trunkline_heap_used_bytes', 'JavaScript heap of the main thread.', heapUsed);
    const files = openFiles();
    if (files !== null) this.#gauge('process_open_fds', 'Open file descriptors.', files);
    this.#gauge('process_max_fds', 'Maximum number of open file descriptors (ulimit -n).', openFileLimit());
    this.#gauge(
      'process_start_time_seconds',
      'Start of the process, seconds since 1970.',
      performance.timeOrigin / 1_000,
    );
    this.#counter('process_cpu_seconds_total', 'CPU time of the process, all threads.', (user + system) / 1e6);
  }

  #gauge(name: string, help: string, value: number): void {
    this.#registered(name, help, []).set(value);
  }

  #registered(name: string, help: string, labelNames: Label[]): Gauge<Label> {
    const known = this.#gauges.get(name);
    if (known !== undefined) return known;
    const gauge = new Gauge({ name, help, labelNames, registers: [this.#registry] });
    this.#gauges.set(name, gauge);
    return gauge;
  }

  /** A counter of another part since its start; the value is copied. */
  #counter(name: string, help: string, total: number): void {
    const counter = this.#counters.get(name) ?? new Counter({ name, help, registers: [this.#registry] });
    this.#counters.set(name, counter);
    counter.reset();
    counter.inc(total);
  }
}
