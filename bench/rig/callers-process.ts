import { readFile } from 'node:fs/promises';
import { decodeWav } from '../../base/audio/wav.ts';
import { percentilesOf } from '../percentiles.ts';
import { FRAME_BYTES, SILENCE } from './audio-marker.ts';
import { Caller } from './caller.ts';
import { LoadMeter } from './load-meter.ts';
import { notifyParent, onParentCommand, requiredVariable } from './parent-channel.ts';
import type { CallersCommand, CallersNotice, CallersReport } from './process-messages.ts';
import { scriptOf } from './script.ts';

/** All callers of a benchmark in one process: real SIP, and a packet every 20 ms on one absolute clock. */
const FRAME_MS = 20;
const SPEECH = new URL('../../fixtures/speech/stop-man.wav', import.meta.url);

interface ConnectedCaller {
  readonly caller: Caller;
  /** When its next packet is due, on `performance.now`. */
  dueMs: number;
}

const script = scriptOf(requiredVariable('BENCH_SCRIPT'), Number(requiredVariable('BENCH_TURNS')));
const speech = await readSpeech();
const load = new LoadMeter();
const callers: Caller[] = [];
const seats = new Set<ConnectedCaller>();
let sendLatenessMsMax = 0;
let receivedBefore = 0;
let missingBefore = 0;

onParentCommand((command: CallersCommand) => {
  if (command.type === 'dial') dial(command).catch((error: unknown) => end(command.call, String(error)));
  else if (command.type === 'go') go(command.spreadMs);
  else notify({ type: 'report', ...report() });
});
run();
notify({ type: 'started' });

async function dial({ call, callId, sipPort, speaksAtOnce }: Extract<CallersCommand, { type: 'dial' }>): Promise<void> {
  let seat: ConnectedCaller | null = null;
  const caller = await Caller.dial({
    call,
    callId,
    sipPort,
    script,
    speech,
    onAnswered: () => {
      seat = { caller, dueMs: performance.now() + Math.random() * FRAME_MS };
      seats.add(seat);
    },
    onGreeted: () => {
      notify({ type: 'greeted', call });
      if (speaksAtOnce) caller.startNextTurn();
    },
    onEnded: (fault) => {
      if (seat !== null) seats.delete(seat);
      caller.audio.close();
      end(call, fault);
    },
  });
  callers.push(caller);
}

function end(call: number, fault: string | null): void {
  notify({ type: 'ended', call, fault });
}

function go(spreadMs: number): void {
  load.open();
  sendLatenessMsMax = 0;
  for (const { audio } of callers) audio.pacing.takeDeviations();
  receivedBefore = sum(({ audio }) => audio.pacing.received);
  missingBefore = sum(({ audio }) => audio.pacing.missing);
  for (const { caller } of seats) setTimeout(() => caller.startNextTurn(), Math.random() * spreadMs);
}

/** One timer for all callers: a timer per call would cost too much. */
function run(): void {
  for (const seat of seats) {
    for (let lateMs = performance.now() - seat.dueMs; lateMs >= 0; lateMs = performance.now() - seat.dueMs) {
      if (lateMs > sendLatenessMsMax) sendLatenessMsMax = lateMs;
      seat.caller.audio.sendFrame();
      seat.dueMs += FRAME_MS;
    }
  }
  setTimeout(run, 1);
}

function report(): CallersReport {
  const { p50, p99, max } = percentilesOf(callers.flatMap(({ audio }) => audio.pacing.takeDeviations()));
  return {
    load: load.close(),
    turns: callers.flatMap(({ turns }) => turns),
    pacing: { p50, p99, max },
    received: sum(({ audio }) => audio.pacing.received) - receivedBefore,
    missing: sum(({ audio }) => audio.pacing.missing) - missingBefore,
    sendLatenessMsMax,
  };
}

function sum(pick: (caller: Caller) => number): number {
  return callers.reduce((total, caller) => total + pick(caller), 0);
}

async function readSpeech(): Promise<Buffer> {
  const wav = decodeWav(await readFile(SPEECH));
  if (wav?.format.encoding !== 'mulaw') throw new Error('the speech of the benchmark is not mu-law');
  const frames = Buffer.alloc(Math.ceil(wav.data.length / FRAME_BYTES) * FRAME_BYTES, SILENCE);
  frames.set(wav.data);
  return frames;
}

function notify(notice: CallersNotice): void {
  notifyParent(notice);
}
