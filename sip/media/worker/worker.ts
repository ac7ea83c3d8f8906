import { randomBytes } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { loadResamplers } from '../../../base/audio/resampler.ts';
import { startHeartbeat } from '../../heartbeat/heartbeat.ts';
import { createOpus } from '../../rtp/codecs/opus-codec.ts';
import { Bridges } from '../bridge/bridges.ts';
import { loadVoiceClassifiers } from '../detection/voice-activity.ts';
import { PACKET_INTERVAL_MS, Pacer } from '../send/pacer.ts';
import { createDgramSockets } from '../udp/udp-sockets.ts';
import { WakeUp } from '../worker-channel/wake-up.ts';
import type {
  MediaWorkerCommand,
  MediaWorkerOptions,
  MediaWorkerReport,
  SessionKey,
} from '../worker-channel/worker-messages.ts';
import { WorkerStatistics } from '../worker-channel/worker-statistics.ts';
import { type LegHost, RtpLeg } from './rtp-leg.ts';
import { WebLeg } from './web-leg.ts';

/**
 * The media worker's thread: everything that happens to its calls every 20 ms. The loop waits in the sockets until the
 * pacer's next tick, processes what is due, and wakes the main thread once.
 */
const options: MediaWorkerOptions = workerData;
/** Waking another thread costs 35 µs or more: at 500 calls a wake-up each millisecond took a tenth of the core. */
const MIN_RING_INTERVAL_MS = 2;
/** By then restored calls run, and hardly a new one has begun. */
const OPUS_DELAY_MS = 1500;

/** A call in its slot. `leg` is null while its ports are being bound. */
interface SlotState {
  readonly key: SessionKey;
  leg: RtpLeg | WebLeg | null;
  /** Commands that came before the ports were bound: a handful, as signalling or the engine causes each. */
  readonly waiting: MediaWorkerCommand[];
}

const seats = new Map<number, SlotState>();
const bridges = new Bridges(({ slot, generation }) => {
  const seat = seats.get(slot);
  return seat !== undefined && seat.key.generation === generation && seat.leg instanceof RtpLeg ? seat.leg : null;
});
const wakeUp = new WakeUp(options.slots, options.wakeUp);
const statistics = new WorkerStatistics(options.statistics);
const nowMs = () => performance.now();
const pacer = new Pacer(nowMs(), {
  due(slot, lateMs) {
    statistics.noteLateness(lateMs);
    act(slot, (leg) => leg.tick());
  },
  skipped(slot, frames) {
    statistics.countSkipped(frames);
    act(slot, (leg) => leg.skip(frames));
  },
});
const transport = createDgramSockets(options.bindAddress, turn);
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
  sourceVerified: (key) => post({ ...key, type: 'source_verified' }),
  captured: (key, records) => post({ ...key, type: 'captured', records }),
  fail,
  ready: (slot) => wakeUp.mark(slot),
};
parentPort?.on('message', take);
startHeartbeat(options.heartbeat);
post({ type: 'ready' });
setTimeout(() => opus.prepare(), OPUS_DELAY_MS).unref();

function turn(): void {
  // The clock is read for each tick, so packets that become due during the turn leave too. After a whole round commands
  // and packets have their turn, even on a machine that is too slow.
  for (let ticks = 0; ticks < PACKET_INTERVAL_MS && pacer.turn(nowMs()); ticks++);
  if (nowMs() - lastRingMs >= MIN_RING_INTERVAL_MS) {
    lastRingMs = nowMs();
    wakeUp.notify();
  }
  transport.flush();
  if (pacer.size === 0) {
    turning = false;
    wakeUp.notify();
    statistics.rest();
    return;
  }
  statistics.tick(nowMs(), busyShare);
  transport.poll(pacer.dueMs);
}

/** By CPU time, not wall time: a thread that is not scheduled is late, not busy. */
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

/** An internal error in one call's code costs that call only. */
function act(slot: number, action: (leg: RtpLeg | WebLeg) => void): void {
  const seat = seats.get(slot);
  if (seat === undefined || seat.leg === null) return;
  try {
    action(seat.leg);
  } catch (error) {
    fail(seat.key, error);
  }
}

function fail(key: SessionKey, error: unknown): void {
  pacer.remove(key.slot);
  post({ ...key, type: 'event', event: { type: 'failed', message: `media worker: ${String(error)}` } });
}

function take(order: MediaWorkerCommand): void {
  const { slot, generation } = order;
  if (order.type === 'open') {
    const seat: SlotState = { key: { slot, generation }, leg: null, waiting: [] };
    seats.set(slot, seat);
    if (order.transport.type === 'web') {
      seatLeg(seat, new WebLeg(order, order.transport.memory, seat.key, host));
      return;
    }
    RtpLeg.open(order, order.transport.port, seat.key, host).then(
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
  else execute(seat, order);
}

function seatLeg(seat: SlotState, leg: RtpLeg | WebLeg): void {
  seat.leg = leg;
  post({ ...seat.key, type: 'opened' });
  bridges.seated(seat.key);
  for (const order of seat.waiting.splice(0)) execute(seat, order);
}

function execute(seat: SlotState, order: MediaWorkerCommand): void {
  const { slot } = seat.key;
  act(slot, (leg) => {
    switch (order.type) {
      case 'open':
        return;
      case 'configure':
        if (leg instanceof RtpLeg) leg.configure(order.session);
        bridges.configured(seat.key.slot);
        pace(slot);
        return;
      case 'start':
        pace(slot);
        return;
      case 'clear':
        leg.clear(order.utterance);
        return;
      case 'pause':
        leg.pause();
        return;
      case 'dtmf':
        if (leg instanceof RtpLeg) leg.sendDtmf(order.digits);
        return;
      case 'info_dtmf':
        if (leg instanceof RtpLeg) leg.receiveInfoDtmf(order.digit, order.durationMs);
        return;
      case 'tones':
        leg.listenForTones(order.on);
        return;
      case 'capture':
        if (leg instanceof RtpLeg) leg.capture(order.localAddress);
        return;
      case 'playback_source':
        bridges.hear(seat.key, order.source);
        return;
      case 'close':
        close(seat, leg);
        return;
    }
  });
}

function pace(slot: number): void {
  pacer.add(slot, nowMs());
  if (turning) return;
  turning = true;
  meterProcessor();
  statistics.begin(nowMs());
  transport.poll(pacer.dueMs);
}

function close(seat: SlotState, leg: RtpLeg | WebLeg): void {
  pacer.remove(seat.key.slot);
  bridges.closed(seat.key.slot);
  seats.delete(seat.key.slot);
  leg.close().then(
    () => post({ ...seat.key, type: 'closed' }),
    () => post({ ...seat.key, type: 'closed' }),
  );
}

function post(notice: MediaWorkerReport): void {
  parentPort?.postMessage(notice);
}
