import { expect, it } from 'vitest';
import { readGauges } from '../../../../src/observability/metrics/gauge-readings.ts';

const MEDIA = {
  sessions: 1,
  packetsReceived: 10,
  packetsSent: 20,
  packetsDropped: 0,
  latenessP99Ms: 1,
  busyShare: 0.5,
  skipped: 2,
  underruns: 3,
  sockets: ['epoll'] as const,
};

it('the media of the service include those of its call hosts', async () => {
  const { skipped, sockets, underruns, ...statistics } = MEDIA;
  const worker = { threadId: 1, calls: 1, skipped, underruns, sockets: sockets[0] };
  const reading = {
    media: { ...MEDIA, latenessP99Ms: 4, busyShare: 0.1 },
    circuits: [{ provider: 'p', part: 'voice', isOpen: true } as const],
    loopBusyShare: 0,
    loopDelayMs: 0,
    residentBytes: 0,
    cpuSeconds: 0,
  };
  const hosts = [
    { host: 1, isRunning: true, exits: 0, reading },
    { host: 2, isRunning: false, exits: 1, reading: null },
  ];
  const readings = await readGauges({
    calls: { liveCalls: () => 2, overload: { view: { phase: 'open', reading: null } }, hosts: () => hosts },
    node: { leads: () => true },
    uploads: { backlog: () => ({ calls: 3, oldestMs: 60_000 }) },
    storage: { dataDir: import.meta.dirname, diskLowWaterBytes: 5 },
    media: { statistics: async () => statistics, workers: [worker] },
    supervisor: { statistics: async () => null },
    repositories: { openWork: { openWork: async () => ({ openCalls: new Map(), pendingDeliveries: 0 }) } },
    pings: { states: () => new Map() },
    registrations: { states: () => new Map() },
    registry: { circuits: [{ provider: 'p', part: 'voice', circuit: { isOpen: false } }] },
    log: { warn() {} },
  });
  expect(readings.media).toEqual({
    sessions: 2,
    packetsReceived: 20,
    packetsSent: 40,
    packetsDropped: 0,
    latenessP99Ms: 4,
    busyShare: 0.5,
    skipped: 4,
    underruns: 6,
    sockets: ['epoll', 'epoll'],
  });
  expect(readings.uploads).toEqual({ calls: 3, oldestMs: 60_000 });
  expect(readings.disk).toEqual({ freeBytes: expect.any(Number), lowWaterBytes: 5 });
  expect(readings.circuits.map(({ isOpen }) => isOpen)).toEqual([false, true]);
});
