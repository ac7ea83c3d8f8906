import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import type { WorkerMediaService } from '../../../sip/media/main-thread/create-media-service.ts';
import type { Log } from '../../log/log.ts';
import type { UploadBacklog } from '../../object-storage/call-uploads.ts';
import { freeBytes } from '../../storage/disk/free-bytes.ts';
import type { Repositories } from '../../storage/repositories.ts';
import type { SipSupervisor } from '../../telephony/sip-supervisor.ts';
import type { TrunkPings } from '../../telephony/trunks/trunk-pings.ts';
import type { TrunkRegistrations } from '../../telephony/trunks/trunk-registrations.ts';
import type { CallHostReading, CircuitReading, DiskReading, GaugeReadings, OverloadReading } from './gauges.ts';
import { summedMedia } from './summed-media.ts';

/** Timeout per part, ms. A part without an answer is omitted. Prometheus itself times out after ten seconds by default. */
const ANSWER_MS_MAX = 2_000;

export interface GaugeSources {
  readonly calls: {
    readonly liveCalls: () => number;
    readonly overload: { readonly view: OverloadReading };
    readonly hosts: () => readonly CallHostReading[];
  };
  readonly node: { readonly leads: () => boolean };
  /** Null without an object store. */
  readonly uploads: { readonly backlog: () => UploadBacklog } | null;
  readonly storage: { readonly dataDir: string; readonly diskLowWaterBytes: number };
  readonly media: Pick<WorkerMediaService, 'statistics' | 'workers'>;
  readonly supervisor: Pick<SipSupervisor, 'statistics'>;
  readonly repositories: Pick<Repositories, 'openWork'>;
  readonly pings: Pick<TrunkPings, 'states'>;
  readonly registrations: Pick<TrunkRegistrations, 'states'>;
  readonly registry: Pick<Registry, 'circuits'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Reads the current values of all parts. Never rejects: a SIP server or database without an answer is omitted. */
export async function readGauges({
  calls,
  node,
  uploads,
  storage,
  media,
  supervisor,
  repositories,
  pings,
  registrations,
  registry,
  log,
}: GaugeSources): Promise<GaugeReadings> {
  const unanswered = (part: string) => (error: unknown) => {
    log.warn({ err: error, part }, 'metrics reading failed');
    return null;
  };
  const [statistics, sip, openWork, disk] = await Promise.all([
    media.statistics(),
    inTime(supervisor.statistics()).catch(unanswered('SIP server')),
    inTime(repositories.openWork.openWork()).catch(unanswered('database')),
    inTime(readDisk(storage)).catch(unanswered('disk')),
  ]);
  const sum = (pick: (worker: WorkerMediaService['workers'][number]) => number) =>
    media.workers.reduce((total, worker) => total + pick(worker), 0);
  const hosts = calls.hosts();
  const own = {
    ...statistics,
    skipped: sum((counted) => counted.skipped),
    underruns: sum((counted) => counted.underruns),
    sockets: media.workers.flatMap(({ sockets }) => sockets ?? []),
  };
  return {
    liveCalls: calls.liveCalls(),
    leads: node.leads(),
    overload: calls.overload.view,
    media: hosts.flatMap(({ reading }) => reading?.media ?? []).reduce(together, own),
    hosts,
    sip,
    openWork,
    uploads: uploads?.backlog() ?? null,
    disk,
    trunks: pings.states(),
    registrations: registrations.states(),
    circuits: readCircuits(registry, hosts),
  };
}

async function readDisk({ dataDir, diskLowWaterBytes }: GaugeSources['storage']): Promise<DiskReading | null> {
  const free = await freeBytes(dataDir);
  return Number.isFinite(free) ? { freeBytes: free, lowWaterBytes: diskLowWaterBytes } : null;
}

/** The circuit breakers of this process and of the call hosts. */
export function readCircuits(
  { circuits }: Pick<Registry, 'circuits'>,
  hosts: readonly CallHostReading[],
): readonly CircuitReading[] {
  return [
    ...circuits.map(({ circuit, part, provider }) => ({ part, provider, isOpen: circuit.isOpen })),
    ...hosts.flatMap(({ reading }) => reading?.circuits ?? []),
  ];
}

function together(one: GaugeReadings['media'], other: GaugeReadings['media']): GaugeReadings['media'] {
  return {
    ...summedMedia(one, other),
    skipped: one.skipped + other.skipped,
    underruns: one.underruns + other.underruns,
    sockets: [...one.sockets, ...other.sockets],
  };
}

function inTime<T>(answer: Promise<T>): Promise<T> {
  return withTimeout(answer, ANSWER_MS_MAX, () => {
    throw new Error(`no answer within ${ANSWER_MS_MAX} ms`);
  });
}
