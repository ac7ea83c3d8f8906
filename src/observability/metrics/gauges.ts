import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { MediaStatistics } from '../../../sip/media/media-plane.ts';
import type { ServerStatistics } from '../../../sip/server/statistics.ts';
import type { Workload } from '../../storage/calls/workload-repository.ts';
import type { Reachability } from '../../telephony/trunks/trunk-pings.ts';

/** How finely the event loop is watched, ms: finer than a packet's 20 ms, and a hundred wake-ups a second. */
const EVENT_LOOP_RESOLUTION_MS = 10;
const QUANTILES = [50, 99] as const;

type Label = 'status' | 'quantile' | 'trunk';

/** What the parts of the service say of themselves when they are asked. Null: that part could not be asked. */
export interface GaugeReadings {
  readonly liveCalls: number;
  readonly media: MediaStatistics & { readonly skipped: number; readonly underruns: number };
  /** Null also with a drachtio-server of the site's. */
  readonly sip: ServerStatistics | null;
  readonly workload: Workload | null;
  /** By the id of each trunk that is pinged. */
  readonly trunks: ReadonlyMap<string, Pick<Reachability, 'reachable' | 'roundTripMs'>>;
}

/** What is read at the moment of a scrape. */
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

  set({ liveCalls, media, sip, workload, trunks }: GaugeReadings): void {
    this.#gauge('trunkline_live_calls', 'Calls that run in this process.', liveCalls);
    this.#setMedia(media);
    if (sip !== null) this.#setSip(sip);
    this.#setWorkload(workload);
    this.#setTrunks(trunks);
    this.#setProcess();
  }

  #setMedia(media: GaugeReadings['media']): void {
    this.#gauge('trunkline_media_legs', 'RTP legs that are open.', media.legs);
    this.#gauge(
      'trunkline_media_lateness_p99_seconds',
      'Lateness of sent packets over the last second, 99th percentile, of the latest worker.',
      media.latenessP99Ms / 1_000,
    );
    this.#gauge(
      'trunkline_media_busy_ratio',
      'Share of its time that the busiest media worker works.',
      media.busyShare,
    );
    this.#counter('trunkline_media_packets_received_total', 'RTP packets that came in.', media.packetsReceived);
    this.#counter('trunkline_media_packets_sent_total', 'RTP packets that went out.', media.packetsSent);
    this.#counter('trunkline_media_packets_dropped_total', 'RTP packets that were not taken.', media.packetsDropped);
    this.#counter('trunkline_media_packets_skipped_total', 'Packets due too long ago to be sent.', media.skipped);
    this.#counter(
      'trunkline_media_underruns_total',
      'Packets that ended early as the voice was late.',
      media.underruns,
    );
  }

  #setSip(sip: ServerStatistics): void {
    this.#gauge('trunkline_sip_transactions', 'SIP transactions that are open.', sip.transactions);
    this.#gauge('trunkline_sip_dialogs', 'SIP dialogs that are open.', sip.dialogs);
    this.#gauge('trunkline_sip_connections', 'SIP connections over TCP.', sip.connections);
    this.#counter('trunkline_sip_unreadable_total', 'Packets and streams that hold no SIP message.', sip.unreadable);
    this.#counter('trunkline_sip_over_rate_total', 'Messages over the rate of their source.', sip.overRate);
    this.#counter('trunkline_sip_strangers_total', 'Messages of addresses that no trunk allows.', sip.unknownSources);
    this.#counter('trunkline_sip_scanners_total', 'Messages of tools that search for open SIP ports.', sip.scanners);
    this.#counter(
      'trunkline_sip_tries_limited_total',
      'INVITEs of addresses that guessed wrong too often.',
      sip.guessesLimited,
    );
    this.#counter('trunkline_sip_connections_refused_total', 'Connections refused at a bound.', sip.connectionsRefused);
    this.#counter('trunkline_sip_internal_errors_total', 'Faults of the SIP server itself.', sip.internalErrors);
  }

  /** Figures that could not be read are left out: an old one would be taken for the present. */
  #setWorkload(workload: Workload | null): void {
    this.#gauge('trunkline_database_up', 'Whether the database answered this scrape.', workload === null ? 0 : 1);
    const calls = this.#registered('trunkline_calls', 'Calls that have not ended, by status.', ['status']);
    const pending = this.#registered('trunkline_webhook_pending', 'Webhook events still to be delivered.', []);
    calls.reset();
    pending.reset();
    if (workload === null) {
      pending.remove();
      return;
    }
    for (const [status, total] of workload.openCalls) calls.set({ status }, total);
    pending.set(workload.pendingDeliveries);
  }

  #setTrunks(trunks: GaugeReadings['trunks']): void {
    const reachable = this.#registered('trunkline_trunk_reachable', 'Whether a trunk answers OPTIONS.', ['trunk']);
    const help = 'From an OPTIONS to the answer of the trunk, the last one.';
    const roundTrip = this.#registered('trunkline_trunk_round_trip_seconds', help, ['trunk']);
    reachable.reset();
    roundTrip.reset();
    for (const [trunk, state] of trunks) {
      reachable.set({ trunk }, state.reachable ? 1 : 0);
      if (state.roundTripMs !== null) roundTrip.set({ trunk }, state.roundTripMs / 1_000);
    }
  }

  #setProcess(): void {
    const help = 'How late the main thread ran what was due, since the last scrape.';
    const delay = this.#registered('trunkline_event_loop_delay_seconds', help, ['quantile']);
    // Of a process that was not asked before its first tick the histogram is empty and answers NaN.
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

  /** Counted elsewhere since that part's start: taken over as it stands. */
  #counter(name: string, help: string, total: number): void {
    const counter = this.#counters.get(name) ?? new Counter({ name, help, registers: [this.#registry] });
    this.#counters.set(name, counter);
    counter.reset();
    counter.inc(total);
  }
}
