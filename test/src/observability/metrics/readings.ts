import type { GaugeReadings } from '../../../../src/observability/metrics/gauges.ts';

/** Values of the parts of a service with three calls. */
export const READINGS: GaugeReadings = {
  liveCalls: 3,
  leads: true,
  overload: { phase: 'limited', reading: { event_loop: 0.8, media: 0.5, database: 0 } },
  media: {
    sessions: 3,
    packetsReceived: 10,
    packetsSent: 20,
    packetsDropped: 1,
    latenessP99Ms: 2.5,
    busyShare: 0.25,
    skipped: 4,
    underruns: 5,
    sockets: ['epoll', 'dgram', 'epoll'],
  },
  hosts: [],
  sip: null,
  uploads: { calls: 2, oldestMs: 1_500 },
  disk: { freeBytes: 300, lowWaterBytes: 200 },
  openWork: { openCalls: new Map([['ringing', 2]]), pendingDeliveries: 7 },
  trunks: new Map([
    ['near', { reachable: true, roundTripMs: 12 }],
    ['away', { reachable: false, roundTripMs: null }],
  ]),
  registrations: new Map([
    ['in', { status: 'registered' }],
    ['out', { status: 'failed' }],
  ]),
  circuits: [
    { provider: 'openai', part: 'language_model', isOpen: true },
    { provider: 'deepgram', part: 'voice', isOpen: false },
  ],
};
