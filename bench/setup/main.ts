import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hasPeer, runPeer } from '../../test/peers/peer-process.ts';
import { freeSipPort } from '../../test/peers/sip-port.ts';
import { Report } from '../report.ts';
import { BenchProcess } from '../rig/bench-process.ts';
import type { AnswererCommand, AnswererNotice } from './answering-server.ts';

/**
 * The cost of signalling per call: sipp (package `sip-tester`) sets up and ends calls on the embedded server, and on a
 * drachtio-server if `DRACHTIO_URL` names one. For drachtio, only the CPU of the application counts.
 *
 *     node bench/setup/main.ts [--short] [--per-second 100] [--seconds 30]
 */
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    'per-second': { type: 'string', default: '100' },
    seconds: { type: 'string' },
  },
});
const PER_SECOND = Number(values['per-second']);
const SECONDS = Number(values.seconds ?? (values.short ? '5' : '30'));
const CALLS = PER_SECOND * SECONDS;
/** From the ACK to the BYE. */
const HOLD_MS = 500;
/** Time after the last call until sipp must have ended. */
const SLACK_MS = 60_000;

const report = new Report('setup');
if (!hasPeer('sipp')) {
  report.note('sipp is not installed (package sip-tester): nothing was measured.');
  await report.finish({});
} else {
  const { DRACHTIO_URL: drachtio, DRACHTIO_SECRET: secret = '' } = process.env;
  const details = [await measure('embedded', {})];
  if (drachtio === undefined) report.note('No drachtio-server: DRACHTIO_URL is not set.');
  else
    details.push(
      await measure('drachtio-server', { DRACHTIO_URL: drachtio, ...(secret !== '' && { DRACHTIO_SECRET: secret }) }),
    );
  report.note(
    `sipp's own scenario uac: INVITE, 180, 200, ACK, ${HOLD_MS} ms, BYE, 200. Pass: every call succeeds without a retransmission.`,
  );
  await report.finish(details);
}

async function measure(name: string, env: Record<string, string>): Promise<object> {
  const child = new BenchProcess<AnswererCommand, AnswererNotice>(new URL('./answering-server.ts', import.meta.url), {
    env,
  });
  const home = await mkdtemp(join(tmpdir(), 'trunkline-bench-'));
  try {
    const { sipPort } = await child.nextNotice('started');
    const before = await child.request({ type: 'cpu' }, 'cpu');
    const started = performance.now();
    const localPort = await freeSipPort();
    const args = [
      `127.0.0.1:${sipPort}`,
      ...['-sn', 'uac', '-s', 'agent', '-i', '127.0.0.1', '-p', String(localPort), '-nostdin'],
      ...['-m', String(CALLS), '-r', String(PER_SECOND), '-l', String(CALLS), '-d', String(HOLD_MS)],
      ...['-trace_stat', '-fd', '5'],
    ];
    const { exitCode } = await runPeer('sipp', args, { cwd: home, timeoutMs: SECONDS * 1_000 + SLACK_MS });
    const seconds = (performance.now() - started) / 1_000;
    const after = await child.request({ type: 'cpu' }, 'cpu');
    const sipp = await lastStatistics(home);
    const figure = (column: string) => Number(sipp.get(column) ?? Number.NaN);
    const processMs = after.processMs - before.processMs;
    const mainMs = after.mainMs - before.mainMs;
    const failed = figure('FailedCall(C)');
    const repeated = figure('Retransmissions(C)');
    report.add({
      server: name,
      'calls/s': (figure('SuccessfulCall(C)') / seconds).toFixed(1),
      calls: figure('SuccessfulCall(C)'),
      failed,
      'repeated by sipp': repeated,
      'answered, ended': `${after.answered}, ${after.ended}`,
      'CPU ms a call': (processMs / CALLS).toFixed(2),
      'of it main thread': (mainMs / CALLS).toFixed(2),
      'RSS MiB': after.residentMb.toFixed(0),
      pass: exitCode === 0 && failed === 0 && repeated === 0 && after.answered === CALLS ? 'yes' : 'no',
    });
    return { name, before, after, seconds, sipp: [...sipp] };
  } finally {
    await child.end();
    await rm(home, { recursive: true, force: true });
  }
}

/** The last line of sipp's statistics file, by column. */
async function lastStatistics(folder: string): Promise<ReadonlyMap<string, string>> {
  const file = (await readdir(folder)).find((name) => name.endsWith('.csv'));
  const lines = file === undefined ? [] : (await readFile(join(folder, file), 'utf8')).trim().split('\n');
  const columns = lines[0]?.split(';') ?? [];
  const last = lines.at(-1)?.split(';') ?? [];
  return new Map(columns.map((column, place) => [column, last[place] ?? '']));
}
