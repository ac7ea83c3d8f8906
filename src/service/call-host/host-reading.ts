import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import type { WorkerMediaService } from '../../../sip/media/main-thread/create-media-service.ts';
import type { HostReading } from '../../calls/host-process/host-messages.ts';

/** `busyShare`: of the event loop, 0–1. `delayMs`: how late the last timer ran. */
export interface LoopTimes {
  readonly busyShare: number;
  readonly delayMs: number;
}

/** The state of this process as a call host. */
export async function readHost(
  media: Pick<WorkerMediaService, 'statistics' | 'workers'>,
  capacity: HostReading['capacity'],
  registry: Pick<Registry, 'circuits'>,
  { busyShare, delayMs }: LoopTimes,
): Promise<HostReading> {
  const { user, system } = process.cpuUsage();
  return {
    capacity,
    media: {
      ...(await media.statistics()),
      skipped: media.workers.reduce((total, { skipped }) => total + skipped, 0),
      underruns: media.workers.reduce((total, { underruns }) => total + underruns, 0),
      sockets: media.workers.flatMap(({ sockets }) => sockets ?? []),
    },
    circuits: registry.circuits.map(({ circuit, part, provider }) => ({ part, provider, isOpen: circuit.isOpen })),
    loopBusyShare: busyShare,
    loopDelayMs: delayMs,
    residentBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
  };
}
