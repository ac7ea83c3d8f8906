import { readFile } from 'node:fs/promises';
import { decodeWav } from '../../base/audio/wav.ts';
import { percentilesOf } from '../percentiles.ts';
import { Caller } from './caller.ts';
import { LoadMeter } from './load.ts';
import { FRAME_BYTES, SILENCE } from './marker.ts';
import { hearParent, notifyParent, setting } from './parent.ts';
import type { CallersCommand, CallersNotice, CallersReport } from './protocol.ts';
import { scriptOf } from './script.ts';

/** All callers of a bench in one process: real SIP, and a packet each 20 ms on one absolute clock. */
const FRAME_MS = 20;
const SPEECH = new URL('../../fixtures/speech/stop-man.wav', import.meta.url);

interface Seat {
  readonly caller: Caller;
  /** When its next packet is due, on `performance.now`. */
  dueMs: number;
}

const script = scriptOf(setting('BENCH_SCRIPT'), Number(setting('BENCH_TURNS')));
const speech = await readLine();
const load = new LoadMeter();
const callers: Caller[] = [];
const seats = new Set<Seat>();
let slipMs = 0;
let receivedBefore = 0;
let missingBefore = 0;

hearParent((command: CallersCommand) => {
  if (command.type === 'dial') dial(command).catch((error: unknown) => end(command.call, String(error)));
  else if (command.type === 'go') go(command.spreadMs);
  else addResult({ type: 'report', ...report() });
});
run();
addResult({ type: 'started' });

async function dial({ call, callId, sipPort }: Extract<CallersCommand, { type: 'dial' }>): Promise<void> {
  let seat: Seat | null = null;
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
    onGreeted: () => addResult({ type: 'greeted', call }),
    onEnded: (fault) => {
      if (seat !== null) seats.delete(seat);
      caller.line.close();
      end(call, fault);
    },
  });
  callers.push(caller);
}

function end(call: number, fault: string | null): void {
  addResult({ type: 'ended', call, fault });
}

function go(spreadMs: number): void {
  load.open();
  slipMs = 0;
  for (const { line } of callers) line.pacing.takeDeviations();
  receivedBefore = sum(({ line }) => line.pacing.received);
  missingBefore = sum(({ line }) => line.pacing.missing);
  for (const { caller } of seats) setTimeout(() => caller.next(), Math.random() * spreadMs);
}

/** Never a timer a call: one look at the clock for all of them. */
function run(): void {
  for (const seat of seats) {
    for (let lateMs = performance.now() - seat.dueMs; lateMs >= 0; lateMs = performance.now() - seat.dueMs) {
      if (lateMs > slipMs) slipMs = lateMs;
      seat.caller.line.sendFrame();
      seat.dueMs += FRAME_MS;
    }
  }
  setTimeout(run, 1);
}

function report(): CallersReport {
  const { p50, p99, max } = percentilesOf(callers.flatMap(({ line }) => line.pacing.takeDeviations()));
  return {
    load: load.close(),
    turns: callers.flatMap(({ turns }) => turns),
    pacing: { p50, p99, max },
    received: sum(({ line }) => line.pacing.received) - receivedBefore,
    missing: sum(({ line }) => line.pacing.missing) - missingBefore,
    slipMs,
  };
}

function sum(pick: (caller: Caller) => number): number {
  return callers.reduce((total, caller) => total + pick(caller), 0);
}

async function readLine(): Promise<Buffer> {
  const wav = decodeWav(await readFile(SPEECH));
  if (wav?.format.encoding !== 'mulaw') throw new Error('the speech of the bench is no mu-law');
  const whole = Buffer.alloc(Math.ceil(wav.data.length / FRAME_BYTES) * FRAME_BYTES, SILENCE);
  whole.set(wav.data);
  return whole;
}

function addResult(notice: CallersNotice): void {
  notifyParent(notice);
}
