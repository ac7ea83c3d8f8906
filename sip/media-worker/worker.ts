import { randomBytes } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { loadResamplers } from '../../base/audio/resampler.ts';
import { beat } from '../pulse.ts';
import { Bridges } from './bridges.ts';
import { Doorbell } from './doorbell.ts';
import { Leg, type LegHost } from './leg.ts';
import { createOpus } from './opus-codec.ts';
import { createDgramTransport } from './udp-transport.ts';
import { loadVoiceClassifiers } from './vad.ts';
import { WebLeg } from './web-leg.ts';
import { FRAME_MS, Wheel } from './wheel.ts';
import type { CallKey, MediaWorkerOptions, WorkerNotice, WorkerOrder } from './worker-message.ts';
import { WorkerStatistics } from './worker-statistics.ts';

/**
 * The media worker's thread: all that happens every 20 ms to the calls it holds. Its loop waits in the transport until
 * the wheel's next tick, works off what is due, and rings the doorbell once.
 */
const options: MediaWorkerOptions = workerData;
/** Waking another thread costs 35 µs or more: at 500 calls a ring each millisecond took a tenth of the core. */
const MIN_RING_INTERVAL_MS = 2;
/** Once calls that a dead worker left have been taken over, and hardly a new one is there. */
const OPUS_DELAY_MS = 1500;

/** A call in its slot. `leg` is null while its ports are being bound. */
interface Seat {
  readonly key: CallKey;
  leg: Leg | WebLeg | null;
  /** Orders that came before the ports were bound: a handful, as each is an act of signalling or of the rules. */
  readonly waiting: WorkerOrder[];
}

const seats = new Map<number, Seat>();
const bridges = new Bridges(({ slot, generation }) => {
  const seat = seats.get(slot);
  return seat !== undefined && seat.key.generation === generation && seat.leg instanceof Leg ? seat.leg : null;
});
const doorbell = new Doorbell(options.slots, options.doorbell);
const statistics = new WorkerStatistics(options.statistics);
const nowMs = () => performance.now();
const wheel = new Wheel(nowMs(), {
  due(slot, lateMs) {
    statistics.noteLateness(lateMs);
    act(slot, (leg) => leg.tick());
  },
  skipped(slot, frames) {
    statistics.countSkipped(frames);
    act(slot, (leg) => leg.skip(frames));
  },
});
const transport = createDgramTransport(options.bindAddress, turn);
let turning = false;
let lastRingMs = 0;
let spent = process.threadCpuUsage();
let spentSinceMs = nowMs();

const [resamplers, createClassifier] = await Promise.all([loadResamplers(), loadVoiceClassifiers()]);
const opus = createOpus();
const host: LegHost = {
  transport,
  resamplers,
  opus,
  createClassifier,
  statistics,
  nowMs,
  wallMs: () => Date.now(),
  random: () => randomBytes(4).readUInt32LE(),
  emit: (key, event) => post({ ...key, type: 'event', event }),
  peerHeard: (key) => post({ ...key, type: 'peer_heard' }),
  captured: (key, records) => post({ ...key, type: 'captured', records }),
  fail,
  ready: (slot) => doorbell.mark(slot),
};
parentPort?.on('message', take);
beat(options.pulse);
post({ type: 'ready' });
setTimeout(() => opus.prepare(), OPUS_DELAY_MS).unref();

function turn(): void {
  // The clock is read anew for each tick, so what became due meanwhile leaves too; but after a whole round orders and
  // packets have their turn, even where the machine is too slow for all of it.
  for (let ticks = 0; ticks < FRAME_MS && wheel.turn(nowMs()); ticks++);
  if (nowMs() - lastRingMs >= MIN_RING_INTERVAL_MS) {
    lastRingMs = nowMs();
    doorbell.ring();
  }
  transport.flush();
  if (wheel.size === 0) {
    turning = false;
    doorbell.ring();
    statistics.rest();
    return;
  }
  statistics.tick(nowMs(), busyShare);
  transport.poll(wheel.dueMs);
}

/** By the processor's time, not by the clock on the wall: a thread that is kept from running is late, and not busy. */
function busyShare(): number {
  const { user, system } = process.threadCpuUsage(spent);
  const share = (user + system) / 1000 / (nowMs() - spentSinceMs);
  meterProcessor();
  return share;
}

function meterProcessor(): void {
  spent = process.threadCpuUsage();
  spentSinceMs = nowMs();
}

/** A fault of ours in one call's code costs that call only. */
function act(slot: number, action: (leg: Leg | WebLeg) => void): void {
  const seat = seats.get(slot);
  if (seat === undefined || seat.leg === null) return;
  try {
    action(seat.leg);
  } catch (error) {
    fail(seat.key, error);
  }
}

function fail(key: CallKey, error: unknown): void {
  wheel.remove(key.slot);
  post({ ...key, type: 'event', event: { type: 'failed', message: `media worker: ${String(error)}` } });
}

function take(order: WorkerOrder): void {
  const { slot, generation } = order;
  if (order.type === 'open') {
    const seat: Seat = { key: { slot, generation }, leg: null, waiting: [] };
    seats.set(slot, seat);
    if (order.wire.type === 'web') {
      seatLeg(seat, new WebLeg(order, order.wire.memory, seat.key, host));
      return;
    }
    Leg.open(order, order.wire.port, seat.key, host).then(
      (leg) => seatLeg(seat, leg),
      (error) => {
        seats.delete(slot);
        post({ ...seat.key, type: 'open_failed', code: error.code ?? String(error) });
      },
    );
    return;
  }
  const seat = seats.get(slot);
  if (seat === undefined || seat.key.generation !== generation) {
    // A call whose ports could not be bound is closed too.
    if (order.type === 'close') post({ type: 'closed', slot, generation });
    return;
  }
  if (seat.leg === null) seat.waiting.push(order);
  else obey(seat, order);
}

function seatLeg(seat: Seat, leg: Leg | WebLeg): void {
  seat.leg = leg;
  post({ ...seat.key, type: 'opened' });
  bridges.seated(seat.key);
  for (const order of seat.waiting.splice(0)) obey(seat, order);
}

function obey(seat: Seat, order: WorkerOrder): void {
  const { slot } = seat.key;
  act(slot, (leg) => {
    switch (order.type) {
      case 'open':
        return;
      case 'configure':
        if (leg instanceof Leg) leg.configure(order.session);
        bridges.configured(seat.key.slot);
        pace(slot);
        return;
      case 'begin':
        pace(slot);
        return;
      case 'clear':
        leg.clear(order.utterance);
        return;
      case 'pause':
        leg.pause();
        return;
      case 'dtmf':
        if (leg instanceof Leg) leg.sendDtmf(order.digits);
        return;
      case 'key':
        if (leg instanceof Leg) leg.pressed(order.digit, order.durationMs);
        return;
      case 'tones':
        leg.listenForTones(order.on);
        return;
      case 'capture':
        if (leg instanceof Leg) leg.capture(order.localAddress);
        return;
      case 'hear':
        bridges.hear(seat.key, order.source);
        return;
      case 'close':
        close(seat, leg);
        return;
    }
  });
}

function pace(slot: number): void {
  wheel.add(slot, nowMs());
  if (turning) return;
  turning = true;
  meterProcessor();
  statistics.begin(nowMs());
  transport.poll(wheel.dueMs);
}

function close(seat: Seat, leg: Leg | WebLeg): void {
  wheel.remove(seat.key.slot);
  bridges.closed(seat.key.slot);
  seats.delete(seat.key.slot);
  leg.close().then(
    () => post({ ...seat.key, type: 'closed' }),
    () => post({ ...seat.key, type: 'closed' }),
  );
}

function post(notice: WorkerNotice): void {
  parentPort?.postMessage(notice);
}
