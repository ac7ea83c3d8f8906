import autocannon from 'autocannon';
import { percentilesOf } from '../percentiles.ts';
import { LoadMeter } from '../rig/load-meter.ts';
import { notifyParent, onParentCommand } from '../rig/parent-channel.ts';

/** Repeats one request over several connections, in a separate process. */
export interface GeneratorCommand {
  readonly type: 'run';
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly connections: number;
  readonly seconds: number;
}

export interface GeneratorNotice {
  readonly type: 'ran';
  readonly requestsPerSecond: number;
  /** From sending a request to the end of its response. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Responses without success, and requests without a response. */
  readonly failed: number;
  readonly answerBytes: number;
  /** CPU of this process, as a share of one core. */
  readonly generatorShare: number;
}

onParentCommand((command: GeneratorCommand) => {
  void run(command).then(notifyParent);
});

async function run({ type: _, seconds, ...request }: GeneratorCommand): Promise<GeneratorNotice> {
  // autocannon itself reports whole milliseconds.
  const times: number[] = [];
  const load = new LoadMeter();
  load.open();
  const startMs = performance.now();
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon({ ...request, duration: seconds }, (error, done) => {
      if (error) reject(error);
      else resolve(done);
    });
    instance.on('response', (_client, _status, _bytes, responseMs) => times.push(responseMs));
  });
  const elapsedMs = performance.now() - startMs;
  const { processShare } = load.close();
  const { p50, p99, max } = percentilesOf(times);
  return {
    type: 'ran',
    requestsPerSecond: (times.length * 1_000) / elapsedMs,
    p50Ms: p50,
    p99Ms: p99,
    maxMs: max,
    failed: result.non2xx + result.errors + result.timeouts,
    answerBytes: times.length === 0 ? 0 : Math.round(result.throughput.total / times.length),
    generatorShare: processShare,
  };
}
