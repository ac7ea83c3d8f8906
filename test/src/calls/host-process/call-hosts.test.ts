import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import { agentConfigurationSchema } from '../../../../engine/agent/agent-schema.ts';
import type { CallHost, HostEvent, HostedAgent, MediaReservation } from '../../../../src/calls/host/call-host.ts';
import { CallHostServer } from '../../../../src/calls/host-process/call-host-server.ts';
import { CallHosts } from '../../../../src/calls/host-process/call-hosts.ts';
import type { HostLinkListener } from '../../../../src/calls/host-process/host-link.ts';
import type { HostReading, HostSettings, ServiceMessage } from '../../../../src/calls/host-process/host-messages.ts';
import { BEAT_MS, MISSED_BEATS_MAX, START_CHECKS_MAX } from '../../../../src/calls/host-process/host-slot.ts';
import { PhoneAndWebCallHost } from '../../../../src/calls/host-process/phone-and-web-call-host.ts';
import type { Log } from '../../../../src/log/log.ts';
import { describeCallHost } from '../host/call-host-contract.ts';
import { openBed } from '../host/scripted-host.ts';
import { cloningChannel, SILENT_SERVICES } from './remote-bed.ts';

const SETTINGS: HostSettings['configuration'] = {
  callHosts: 2,
  dataDir: '/nowhere',
  diskLowWaterBytes: 0,
  endOfTurnModel: null,
  phraseCacheBytes: 0,
  providers: {},
  rtp: { bind: '127.0.0.1', ports: { first: 20_000, last: 20_999 }, sockets: 'auto', admissionLatenessMs: 5 },
};
const READING: HostReading = {
  capacity: { accepted: true },
  media: {
    sessions: 0,
    packetsReceived: 0,
    packetsSent: 0,
    packetsDropped: 0,
    latenessP99Ms: 0,
    busyShare: 0,
    skipped: 0,
    underruns: 0,
    sockets: [],
  },
  circuits: [],
  loopBusyShare: 0,
  loopDelayMs: 0,
  residentBytes: 0,
  cpuSeconds: 0,
};
const FULL: HostReading = { ...READING, capacity: { accepted: false, retryAfterSeconds: 7 } };

/** A launched process: the commands that it got, and what it may do. */
class FakeProcess {
  readonly settings: HostSettings;
  readonly listener: HostLinkListener;
  readonly got: ServiceMessage[] = [];
  killed = false;
  /** It confirms nothing. */
  hangs = false;

  constructor(settings: HostSettings, listener: HostLinkListener) {
    this.settings = settings;
    this.listener = listener;
  }

  /** Confirms each reservation and preparation at once. */
  take(message: ServiceMessage): void {
    this.got.push(message);
    if (message.type !== 'request' || this.hangs) return;
    const { id, request } = message;
    if (request.type === 'prepare') this.listener.onMessage({ type: 'response', id, response: { type: 'prepared' } });
    if (request.type !== 'reserve') return;
    const { first: port } = this.settings.configuration.rtp.ports;
    const media = { port, format: { encoding: 'mulaw', sampleRateHz: 8_000 } } as const;
    this.listener.onMessage({ type: 'response', id, response: { type: 'reserved', media } });
  }

  ready(): void {
    this.listener.onMessage({ type: 'ready' });
  }

  beat(reading = READING): void {
    this.listener.onMessage({ type: 'beat', reading });
  }

  /** Ids of the calls that were reserved here. */
  get reserved(): readonly string[] {
    return this.got.flatMap((one) =>
      one.type === 'request' && one.request.type === 'reserve' ? [one.request.reservation.callId] : [],
    );
  }
}

function settingsOf(count: number): readonly HostSettings[] {
  return Array.from({ length: count }, (_, index) => ({ host: index + 1, configuration: SETTINGS }));
}

function bed(count: number) {
  const clock = new SimulatedClock();
  const processes: FakeProcess[] = [];
  const lines: string[] = [];
  const line = (_fields: object, event: string) => void lines.push(event);
  const log: Log = { debug: line, info: line, warn: line, error: line, fatal: line };
  const hosts = new CallHosts({
    settings: settingsOf(count),
    launch: (settings, listener) => {
      const one = new FakeProcess(settings, listener);
      processes.push(one);
      return {
        pid: processes.length,
        send: (message) => one.take(message),
        kill: () => {
          one.killed = true;
        },
      };
    },
    services: SILENT_SERVICES,
    repairRecording: async () => null,
    clock,
    log,
    onMetric: () => {},
  });
  const events: HostEvent[] = [];
  hosts.onEvent((event) => events.push(event));
  const processAt = (index: number): FakeProcess => {
    const found = processes[index];
    if (found === undefined) throw new Error(`no process ${index}`);
    return found;
  };
  return { clock, events, hosts, lines, processAt, processes };
}

const phone = (callId: string, hasEngine = true): MediaReservation => {
  return { callId, kind: 'rtp', codec: 'pcmu', hasEngine, recordingPath: null, mediaTimeoutMs: 30_000 };
};
const secondLeg = (callId: string, mediaId: string): MediaReservation => {
  return { callId, kind: 'second_leg', mediaId, mediaTimeoutMs: 30_000 };
};
const AGENT: HostedAgent = {
  agentId: 'a',
  agentVersion: 1,
  isOverridden: false,
  configuration: agentConfigurationSchema.parse({
    llm: { provider: 'test', model: 'model' },
    voice: { provider: 'test', name: 'voice' },
    transcriber: { provider: 'test' },
    states: [{ name: 'start' }],
    initial_state_name: 'start',
  }),
  sealedSecrets: new Map(),
};

describe('several call hosts', () => {
  it('share the calls: each takes one in turn', async () => {
    const { hosts, processAt, processes } = bed(3);
    for (const one of processes) one.ready();
    await hosts.ready();
    for (const callId of ['a', 'b', 'c', 'd', 'e', 'f']) await hosts.reserve(phone(callId));
    expect([0, 1, 2].map((index) => processAt(index).reserved.length)).toEqual([2, 2, 2]);
  });

  it('keep the second leg of a bridge in the host of its first leg', async () => {
    const { hosts, processes } = bed(2);
    for (const one of processes) one.ready();
    for (const callId of ['a', 'b', 'c']) await hosts.reserve(phone(callId));
    for (const callId of ['a', 'b', 'c']) await hosts.reserve(secondLeg(callId, `second of ${callId}`));
    for (const one of processes) expect([...new Set(one.reserved)]).toHaveLength(one.reserved.length / 2);
    hosts.send({ type: 'bridge', callId: 'a', mediaId: 'second of a' });
    const bridging = processes.filter(({ got }) => got.some((one) => one.type === 'command'));
    expect(bridging.map(({ reserved }) => reserved.includes('a'))).toEqual([true]);
    await expect(hosts.reserve(secondLeg('unknown', 'second'))).rejects.toThrow('first leg');
  });

  it('reserve a staged call where its connections were opened', async () => {
    const { hosts, processes } = bed(2);
    for (const one of processes) one.ready();
    const [first, second] = processes;
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const callId of ids) await hosts.prepare({ callId, kind: 'rtp' }, AGENT);
    const preparedBy = (one: FakeProcess | undefined) =>
      one?.got.flatMap((message) =>
        message.type === 'request' && message.request.type === 'prepare' ? [message.request.call.callId] : [],
      );
    const planned = [preparedBy(first), preparedBy(second)];
    expect(planned.map((calls) => calls?.length).sort()).toEqual([2, 3]);
    for (const callId of ids.toReversed()) await hosts.reserve(phone(callId));
    expect([first?.reserved.toSorted(), second?.reserved.toSorted()]).toEqual(planned);
  });

  it('accept calls while one of them has room, and give it the calls', async () => {
    const { hosts, processAt, processes } = bed(2);
    expect(hosts.capacity()).toEqual({ accepted: false, retryAfterSeconds: 2 });
    await expect(hosts.reserve(phone('early'))).rejects.toMatchObject({ code: 'no_worker' });
    for (const one of processes) one.ready();
    expect(hosts.capacity()).toEqual({ accepted: true });
    processAt(0).beat(FULL);
    processAt(1).beat();
    expect(hosts.capacity()).toEqual({ accepted: true });
    for (const callId of ['a', 'b', 'c']) await hosts.reserve(phone(callId));
    expect([processAt(0).reserved, processAt(1).reserved]).toEqual([[], ['a', 'b', 'c']]);
    processAt(1).beat(FULL);
    expect(hosts.capacity()).toEqual({ accepted: false, retryAfterSeconds: 7 });
  });
});

it('the legs of a call host are counted at once, the rest of its media at each beat', async () => {
  const { hosts, processAt } = bed(1);
  processAt(0).ready();
  processAt(0).beat({ ...READING, media: { ...READING.media, packetsSent: 7 } });
  await hosts.reserve(phone('a'));
  expect(hosts.views().map(({ reading }) => reading?.media)).toMatchObject([{ sessions: 1, packetsSent: 7 }]);
});

describe('a call host that exits', () => {
  it('ends its own calls alone, and its successor takes calls', async () => {
    const { clock, events, hosts, processAt, processes } = bed(2);
    for (const one of processes) one.ready();
    await hosts.reserve(phone('a', false));
    await hosts.reserve(phone('b', false));
    const dead = processAt(0);
    dead.listener.onExit('killed by SIGKILL');
    expect(events).toEqual([{ type: 'media_lost', mediaId: dead.reserved[0], cause: 'failed' }]);
    expect(hosts.views().map(({ exits, isRunning }) => [exits, isRunning])).toEqual([
      [1, false],
      [0, true],
    ]);
    clock.advance(250);
    expect(processes).toHaveLength(3);
    expect(processAt(2).settings).toEqual(dead.settings);
    processAt(2).ready();
    await hosts.reserve(phone('c'));
    await hosts.reserve(phone('d'));
    expect(processAt(2).reserved.length).toBeGreaterThan(0);
  });

  it('again and again is replaced after growing delays, and at once after a long life', async () => {
    const { clock, processAt, processes } = bed(1);
    const delays: number[] = [];
    const replaced = () => {
      const count = processes.length;
      const fromUs = clock.nowUs();
      while (processes.length === count) clock.advance(50);
      delays.push((clock.nowUs() - fromUs) / 1_000);
    };
    for (let exits = 0; exits < 4; exits++) {
      processAt(exits).listener.onExit('exit code 1');
      replaced();
    }
    const last = processAt(4);
    last.ready();
    for (let beats = 0; beats < 60; beats++) {
      last.beat();
      clock.advance(BEAT_MS);
    }
    last.listener.onExit('exit code 1');
    replaced();
    expect(delays).toEqual([250, 500, 1_000, 2_000, 50]);
  });

  it('before it took calls fails the start of the service', async () => {
    const { hosts, processAt } = bed(2);
    processAt(0).ready();
    processAt(1).listener.onExit('exit code 1');
    await expect(hosts.ready()).rejects.toThrow('call host 2 did not start: exit code 1');
  });
});

describe('a call host that hangs', () => {
  it('gets no new call once it has missed two beats', async () => {
    const { clock, hosts, processAt, processes } = bed(2);
    for (const one of processes) one.ready();
    for (let checks = 0; checks < 3; checks++) {
      processAt(1).beat();
      clock.advance(BEAT_MS);
    }
    for (const callId of ['a', 'b', 'c']) await hosts.reserve(phone(callId));
    expect([processAt(0).reserved, processAt(1).reserved]).toEqual([[], ['a', 'b', 'c']]);
  });

  it('and is killed ends no call that had not begun: another host takes its preparation and its reservation', async () => {
    const { hosts, processAt, processes } = bed(3);
    for (const one of processes) one.ready();
    processAt(0).hangs = true;
    const preparing = hosts.prepare({ callId: 'a', kind: 'rtp' }, AGENT);
    await hosts.reserve(phone('b'));
    const hanging = processes.find(({ got, hangs }) => !hangs && got.length === 1);
    expect(processAt(0).got.map(({ type }) => type)).toContain('request');
    processAt(0).listener.onExit('killed by SIGKILL');
    await preparing;
    if (hanging !== undefined) hanging.hangs = true;
    const reserving = Promise.all(['c', 'd', 'e'].map((callId) => hosts.reserve(phone(callId))));
    hanging?.listener.onExit('killed by SIGKILL');
    expect(await reserving).toHaveLength(3);
    await hosts.reserve(phone('a'));
  });

  it('is killed three seconds after its last beat, and its calls end with that reason', async () => {
    const { clock, events, hosts, processAt } = bed(1);
    const hanging = processAt(0);
    hanging.ready();
    await hosts.reserve(phone('a', false));
    hanging.beat();
    clock.advance(BEAT_MS);
    clock.advance(BEAT_MS * MISSED_BEATS_MAX - 1);
    expect(hanging.killed).toBe(false);
    clock.advance(1);
    expect(hanging.killed).toBe(true);
    hanging.listener.onExit('killed by SIGKILL');
    expect(events).toHaveLength(1);
  });

  it('while it loads is killed after a minute', () => {
    const { clock, processAt } = bed(1);
    clock.advance(BEAT_MS * START_CHECKS_MAX - 1);
    expect(processAt(0).killed).toBe(false);
    clock.advance(1);
    expect(processAt(0).killed).toBe(true);
  });
});

describe('call hosts that stop', () => {
  it('are asked to exit, killed if they do not, and not replaced', async () => {
    const { clock, hosts, processAt, processes } = bed(2);
    for (const one of processes) one.ready();
    const closing = hosts.close();
    expect(processes.map(({ got }) => got.at(-1)?.type)).toEqual(['stop', 'stop']);
    processAt(0).listener.onExit('exit code 0');
    clock.advance(5_000);
    expect(processes.map(({ killed }) => killed)).toEqual([false, true]);
    processAt(1).listener.onExit('killed by SIGKILL');
    await closing;
    clock.advance(60_000);
    expect(processes).toHaveLength(2);
  });
});

/** One host in this thread, behind a pool of `count` channels. */
function pooled(inner: CallHost, count: number): CallHosts {
  return new CallHosts({
    settings: settingsOf(count),
    launch: (settings, listener) => {
      const server = settings.host === 1 ? new CallHostServer(inner, cloningChannel(listener.onMessage)) : null;
      const toHost = cloningChannel<ServiceMessage>((message) => {
        if (message.type === 'request' || message.type === 'command') server?.receive(message);
      });
      if (server !== null) queueMicrotask(() => listener.onMessage({ type: 'ready' }));
      return { pid: settings.host, send: toHost, kill: () => {} };
    },
    services: SILENT_SERVICES,
    repairRecording: async () => null,
    clock: new SimulatedClock(),
    log: { debug() {}, info() {}, warn() {}, error() {}, fatal() {} },
    onMetric: () => {},
  });
}

const delivered = async () => {
  for (let turns = 0; turns < 4; turns++) await new Promise((resolve) => setImmediate(resolve));
};

describeCallHost('one of several processes', () => openBed((inner) => ({ host: pooled(inner, 2), delivered })));

describeCallHost('phone calls beside web calls', () =>
  openBed((inner) => {
    const web = openBed().host;
    return { host: new PhoneAndWebCallHost({ phone: inner, web }), delivered };
  }),
);

describe('phone calls and web calls in two hosts', () => {
  it('get their own commands until they are closed', async () => {
    const taken: string[] = [];
    const recording = (name: string): CallHost => ({
      reserve: async ({ callId }) => {
        taken.push(`${name} reserve ${callId}`);
        return { port: null, format: { encoding: 'linear16', sampleRateHz: 16_000 } };
      },
      prepare: async ({ callId }) => void taken.push(`${name} prepare ${callId}`),
      start: async ({ parameters }) => void taken.push(`${name} start ${parameters.callId}`),
      activities: async () => [{ callId: name, agentState: 'speaking', state: 's' }],
      send: (command) => taken.push(`${name} ${command.type}`),
      onEvent: (listener) => listeners.set(name, listener),
    });
    const listeners = new Map<string, (event: HostEvent) => void>();
    const mixed = new PhoneAndWebCallHost({ phone: recording('phone'), web: recording('web') });
    const events: HostEvent[] = [];
    mixed.onEvent((event) => events.push(event));
    await mixed.prepare({ callId: 'w', kind: 'web' }, AGENT);
    await mixed.reserve({ kind: 'web', callId: 'w', recordingPath: null, mediaTimeoutMs: 1 });
    await mixed.reserve(phone('p'));
    mixed.send({ type: 'live_command', callId: 'w', command: { type: 'call.terminate', reason: 'terminated' } });
    mixed.send({ type: 'release', mediaId: 'p', keepsRecording: false });
    listeners.get('web')?.({ type: 'closed', callId: 'w', reason: 'terminated' });
    mixed.send({ type: 'capture', callId: 'w', localAddress: null });
    expect(taken).toEqual([
      'web prepare w',
      'web reserve w',
      'phone reserve p',
      'web live_command',
      'phone release',
      'phone capture',
    ]);
    expect(events).toHaveLength(1);
    expect((await mixed.activities()).map(({ callId }) => callId)).toEqual(['phone', 'web']);
  });
});
