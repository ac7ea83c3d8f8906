import { parseArgs } from 'node:util';
import { BRIDGE_DELAY } from '../../sip/rtp/jitter-buffer/jitter-buffer.ts';
import { Report } from '../report.ts';
import type { NetworkConditions } from './network-conditions.ts';
import { playOverNetwork } from './played-stream.ts';
import { transcribeOverNetwork } from './transcribed-stream.ts';

/**
 * The audio of a bridged call by packet loss and jitter: the concealed share and the delay. Virtual time and a fixed seed:
 * the same code always gives the same table.
 *
 *     node bench/jitter-buffer/main.ts [--minutes N]
 */
const LOSSES = [0, 0.01, 0.05, 0.1, 0.2];
const JITTERS_MS = [0, 20, 40, 60, 80, 120];
const SEED = 1;
/** Packets lost by one burst, for the burst column of the table: 60 ms of speech. */
const BURST_PACKETS = 3;

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '5' } } });
const durationMs = Number(values.minutes) * 60_000;
const report = new Report('jitter-buffer');
const details: object[] = [];
for (const lossShare of LOSSES) {
  for (const jitterMs of JITTERS_MS) {
    const even = play({ lossShare, jitterMs, seed: SEED });
    const bursts = play({ lossShare, jitterMs, burstPackets: BURST_PACKETS, seed: SEED });
    const { tooLateShare } = transcribeOverNetwork({ lossShare, jitterMs, seed: SEED }, durationMs);
    report.add({
      'loss %': lossShare * 100,
      'jitter ms': jitterMs,
      'concealed %': percent(even.concealedShare),
      'late %': percent(even.lateShare),
      'delay p50 ms': Math.round(even.delayP50Ms),
      'delay p95 ms': Math.round(even.delayP95Ms),
      'concealed %, bursts': percent(bursts.concealedShare),
      'not transcribed %': percent(tooLateShare),
    });
    details.push({ lossShare, jitterMs, even, bursts, tooLateShare });
  }
}
report.note(
  `${values.minutes} min a row, packets of 20 ms; jitter: each packet is late by 0 to this many ms, evenly distributed.`,
);
report.note(
  'Delay: from the sending of a packet to its playout. Bursts: the same loss, three packets in a row on average.',
);
report.note('Not transcribed: packets later than the 60 ms within which packets are reordered for a transcriber.');
await report.finish({ durationMs, bounds: BRIDGE_DELAY, seed: SEED, rows: details });

function play(conditions: NetworkConditions) {
  return playOverNetwork(conditions, BRIDGE_DELAY, durationMs);
}

function percent(share: number): number {
  return Math.round(share * 10_000) / 100;
}
