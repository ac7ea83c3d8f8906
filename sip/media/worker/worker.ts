import { randomBytes } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { loadResamplers } from '../../../base/audio/resampler.ts';
import { startHeartbeat } from '../../heartbeat/heartbeat.ts';
import { createOpus } from '../../rtp/codecs/opus-codec.ts';
import { AudioBridges } from '../audio-bridge/audio-bridges.ts';
import { loadVoiceClassifiers } from '../detection/voice-activity.ts';
import { loadNoiseSuppression } from '../receive/noise-suppressor.ts';
import { PACKET_INTERVAL_MS, Pacer } from '../send/pacer.ts';
import { createUdpSockets } from '../udp/create-udp-sockets.ts';
import type {
  MediaWorkerCommand,
  MediaWorkerOptions,
  MediaWorkerReport,
  SessionKey,
} from '../worker-channel/media-worker-messages.ts';
import { WakeUp } from '../worker-channel/wake-up.ts';
import { WorkerStatistics } from '../worker-channel/worker-statistics.ts';
import { RtpSession, type WorkerContext } from './rtp-session.ts';
import { WebSession } from './web-session.ts';

/**
 * The media worker's thread. The loop waits in the sockets until the pacer's next tick, processes the due packets of its
 * calls, and wakes the main thread once.
 */
const options: MediaWorkerOptions = workerData;
/**
 * Waking another thread costs both of them 50 µs or more: at 500 calls a wake-up each millisecond took a tenth of the core. So the
 * main thread is woken less often with more calls. Audio waits at most this long, while a transcriber gets 20 ms of it at a time.
 */
const WAKE_UP_INTERVAL_MS = { one: 2, max: 5 };
/** Calls that add one ms to the interval. */
const CALLS_PER_INTERVAL_MS = 64;
/** Opus is loaded after this delay: restored calls run by then, and hardly a new call has started. */
const OPUS_DELAY_MS = 1500;

/** A slot in use. `session` is null while its ports are being bound. */
interface SlotState {
  readonly key: SessionKey;
  session: RtpSession | WebSession | null;
  /** Commands that arrived before the ports were bound: only a few, since no command is sent per packet. */
  readonly waiting: MediaWorkerCommand[];
}

const slots = new Map<number, SlotState>();
const bridges = new AudioBridges(({ slot, generation }) => {
  const state = slots.get(slot);
  return state !== undefined && state.key.generation === generation && state.session instanceof RtpSession
    ? state.session
    : null;
});
const wakeUp = new WakeUp(options.slots, options.wakeUp);
const statistics = new WorkerStatistics(options.statistics);
const nowMs = () => performance.now();
const pacer = new Pacer(nowMs(), {
  due(slot, lateMs) {
    statistics.recordLateness(lateMs);
    act(slot, (session) => session.tick());
  },
  skipped(slot, frames) {
    statistics.countSkipped(frames);
    act(slot, (session) => session.skip(frames));
  },
});
let turning = false;
let lastWakeUpMs = 0;
let spent = process.threadCpuUsage();
let spentSinceMs = nowMs();

const [resamplers, createClassifier, { sockets, chosen }] = await Promise.all([
  loadResamplers(),
  loadVoiceClassifiers(),
  createUdpSockets(options.sockets, options.bindAddress, turn),
]);
const opus = createOpus();
const context: WorkerContext = {
  transport: sockets,
  resamplers,
  opus,
  createClassifier,
  statistics,
  nowMs,
  wallMs: () => Date.now(),
  random: () => randomBytes(4).readUInt32LE(),
  emit: (key, event) => post({ ...key, type: 'event', event }),
  sourceVerification: (key, result) => post({ ...key, type: 'source_verification', result }),
  captured: (key, records) => post({ ...key, type: 'captured', records }),
  fail,
  ready: (slot) => wakeUp.mark(slot),
};
parentPort?.on('message', take);
startHeartbeat(options.heartbeat);
post({ type: 'ready', sockets: chosen });
setTimeout(() => opus.prepare(), OPUS_DELAY_MS).unref();

function turn(): void {
  // The clock is read for each tick, so packets that become due during the loop are sent too. After a full round of
  // slots, commands and packets are processed, even on a machine that is too slow.
  for (let ticks = 0; ticks < PACKET_INTERVAL_MS && pacer.tick(nowMs()); ticks++);
  if (nowMs() - lastWakeUpMs >= wakeUpIntervalMs()) {
    lastWakeUpMs = nowMs();
    wakeUp.notify();
  }
  if (pacer.size === 0) {
    turning = false;
    wakeUp.notify();
    statistics.resetLoad();
    return;
  }
  statistics.tick(nowMs(), busyShare);
  sockets.poll(pacer.dueMs);
}

function wakeUpIntervalMs(): number {
  return Math.min(WAKE_UP_INTERVAL_MS.max, WAKE_UP_INTERVAL_MS.one + pacer.size / CALLS_PER_INTERVAL_MS);
}

/** From CPU time, not wall time: a thread that is not scheduled is late, not busy. */
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

/** An internal error in one call's code ends only that call's media. */
function act(slot: number, action: (session: RtpSession | WebSession) => void): void {
  const state = slots.get(slot);
  if (state === undefined || state.session === null) return;
  try {
    action(state.session);
  } catch (error) {
    fail(state.key, error);
  }
}

function fail(key: SessionKey, error: unknown): void {
  pacer.remove(key.slot);
  post({ ...key, type: 'event', event: { type: 'failed', message: `media worker: ${String(error)}` } });
}

function take(command: MediaWorkerCommand): void {
  const { slot, generation } = command;
  if (command.type === 'open') {
    const state: SlotState = { key: { slot, generation }, session: null, waiting: [] };
    slots.set(slot, state);
    if (command.transport.type === 'web') {
      sessionOpened(state, new WebSession(command, command.transport.memory, state.key, context));
      return;
    }
    RtpSession.open(command, command.transport.port, state.key, context).then(
      (session) => sessionOpened(state, session),
      (error) => {
        slots.delete(slot);
        post({ ...state.key, type: 'open_failed', code: error.code ?? String(error) });
      },
    );
    return;
  }
  const state = slots.get(slot);
  if (state === undefined || state.key.generation !== generation) {
    // A call whose ports could not be bound was removed, but its close is confirmed too.
    if (command.type === 'close') post({ type: 'closed', slot, generation });
    return;
  }
  if (state.session === null) state.waiting.push(command);
  else execute(state, command);
}

function sessionOpened(state: SlotState, session: RtpSession | WebSession): void {
  state.session = session;
  post({ ...state.key, type: 'opened' });
  bridges.sessionOpened(state.key);
  for (const command of state.waiting.splice(0)) execute(state, command);
}

function execute(state: SlotState, command: MediaWorkerCommand): void {
  const { slot } = state.key;
  act(slot, (session) => {
    switch (command.type) {
      case 'open':
        return;
      case 'configure':
        if (session instanceof RtpSession) session.configure(command.parameters);
        bridges.sessionConfigured(state.key.slot);
        pace(slot);
        return;
      case 'start':
        pace(slot);
        return;
      case 'clear':
        session.clear(command.utterance);
        return;
      case 'pause':
        session.pause();
        return;
      case 'dtmf':
        if (session instanceof RtpSession) session.sendDtmf(command.digits);
        return;
      case 'info_dtmf':
        if (session instanceof RtpSession) session.receiveInfoDtmf(command.digit, command.durationMs);
        return;
      case 'tones':
        session.listenForTones(command.on);
        return;
      case 'suppress_noise':
        void suppressNoise(state.key, session);
        return;
      case 'capture':
        if (session instanceof RtpSession) session.capture(command.localAddress);
        return;
      case 'playback_source':
        bridges.setPlaybackSource(state.key, command.source);
        return;
      case 'close':
        close(state, session);
        return;
    }
  });
}

/** The module is loaded once. Until then, and after an error, the session hears the original audio. */
async function suppressNoise(key: SessionKey, session: RtpSession | WebSession): Promise<void> {
  const failed = (error: unknown) => post({ ...key, type: 'noise_suppression_failed', message: String(error) });
  try {
    const create = await loadNoiseSuppression(resamplers);
    if (slots.get(key.slot)?.session === session) session.suppressNoise(create, failed);
  } catch (error) {
    failed(error);
  }
}

function pace(slot: number): void {
  pacer.add(slot, nowMs());
  if (turning) return;
  turning = true;
  meterProcessor();
  statistics.begin(nowMs());
  sockets.poll(pacer.dueMs);
}

function close(state: SlotState, session: RtpSession | WebSession): void {
  pacer.remove(state.key.slot);
  bridges.sessionClosed(state.key.slot);
  slots.delete(state.key.slot);
  session.close().then(
    () => post({ ...state.key, type: 'closed' }),
    () => post({ ...state.key, type: 'closed' }),
  );
}

function post(report: MediaWorkerReport): void {
  parentPort?.postMessage(report);
}
