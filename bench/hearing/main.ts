import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { encodeWav } from '../../base/audio/wav.ts';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';
import { EmulatedProviders } from './call/emulated-providers.ts';
import { cutIns, type HeardCall, type HearingCase, responseDelays } from './call/heard-case.ts';
import type { RecordedCall } from './call/recorded-call.ts';
import { type CallBed, runCall } from './call/run-call.ts';
import { SentFrames } from './call/sent-frames.ts';
import { startServiceOf } from './call/service-of-tree.ts';
import { textOf } from './call/spoken-line.ts';
import { echoCases } from './cases/echo.ts';
import { failureCases } from './cases/failures.ts';
import { interruptionCases } from './cases/interruptions.ts';
import { lateWordCases } from './cases/late-words.ts';
import { dictationCases, hardPauseCases, pauseCases } from './cases/pauses.ts';
import { shortAnswerCases } from './cases/short-answers.ts';
import { secondVoiceCases, soundCases } from './cases/sounds.ts';
import { toolCases } from './cases/tools.ts';

/**
 * What a user hears, over real SIP and RTP: late words, pauses, dictation, echo, noise, tools and failing providers.
 * Needs espeak-ng and sox. Exits with 1 if a call is not as expected.
 *
 *     node bench/hearing/main.ts [--only PATTERN] [--jobs N] [--tree FOLDER] [--recordings FOLDER] [--short]
 *
 * `--tree`: the service of another checkout. `--only`: cases whose `group: name` the regular expression matches.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: '3' },
    tree: { type: 'string', default: resolve(import.meta.dirname, '../..') },
    recordings: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
});
/** With `--short`, one in this many cases of a group runs. */
const SHORT_STEP = 6;
/** A caller that was later than this has not heard what a user would. */
const SLIP_MS_MAX = 60;
const ATTEMPTS = 3;

const all = [
  shortAnswerCases,
  lateWordCases,
  pauseCases,
  hardPauseCases,
  dictationCases,
  echoCases,
  interruptionCases,
  soundCases,
  secondVoiceCases,
  toolCases,
  failureCases,
].flatMap((cases) => cases().filter((_, i) => !values.short || i % SHORT_STEP === 0));
const only = new RegExp(values.only);
const cases = all.filter(({ group, name }) => only.test(`${group}: ${name}`));

const frames = new SentFrames();
const providers = await EmulatedProviders.start(frames);
const functions = createServer((request, response) => {
  const afterMs = Number(/after\/(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
  setTimeout(() => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status: 'on its way' }));
  }, afterMs);
});
await new Promise<void>((done) => functions.listen(0, '127.0.0.1', done));
const address = functions.address() as AddressInfo;
const service = await startServiceOf(resolve(values.tree), providers.environment);
const bed: CallBed = { service, providers, frames, functionUrl: `http://127.0.0.1:${address.port}` };

const report = new Report('hearing');
const details: object[] = [];
const delaysMs = new Map<string, number[]>();
let wrong = 0;
const waiting = [...cases];
await Promise.all(Array.from({ length: Number(values.jobs) }, work));
for (const [group, delays] of delaysMs) {
  const { p50, p95 } = percentilesOf(delays);
  report.note(`${group}: response delay p50 ${Math.round(p50)} ms, p95 ${Math.round(p95)} ms, ${delays.length} turns.`);
}
report.note(`${cases.length - wrong} of ${cases.length} calls as expected.`);
await report.finish(details);
await service.stop();
await providers.close();
functions.closeAllConnections();
functions.close();
process.exitCode = wrong === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    try {
      await place(next);
    } catch (error) {
      wrong++;
      report.add({ group: next.group, case: next.name, fault: String(error) });
    }
  }
}

/** One call. It is repeated while it is wrong and its own caller slipped: a busy machine says nothing about the service. */
async function place(tried: HearingCase): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const heard = await runCall(bed, tried);
    const judged = judge(tried, heard);
    const hasSlipped = heard.recording.slipMs > SLIP_MS_MAX;
    if (judged.faults.length > 0 && hasSlipped && attempt < ATTEMPTS) continue;
    if (judged.faults.length > 0) wrong++;
    delaysMs.set(tried.group, [...(delaysMs.get(tried.group) ?? []), ...judged.delays]);
    report.add({ ...judged.row, attempt });
    const { recording: _, ...rest } = heard;
    details.push({ group: tried.group, name: tried.name, ...judged, ...rest });
    if (values.recordings !== undefined) await keep(values.recordings, tried, heard);
    return;
  }
}

function judge(tried: HearingCase, heard: HeardCall) {
  const lines = heard.recording.lines.map(({ line }) => textOf(line)).filter((text) => text !== '');
  const expected = tried.userEntries ?? lines;
  const entries = heard.transcript.filter(({ role }) => role === 'user').map(({ content }) => content);
  const agentAnswers = tried.agentAnswers ?? expected.length + 1;
  const spoken = heard.agentSpans.length;
  const delays = responseDelays(heard).map(Math.round);
  const own = tried.judge?.(heard);
  const interruptions = cutIns(heard);
  const faults = [
    ...(plain(entries) === plain(expected) ? [] : [`user entries ${JSON.stringify(entries)}`]),
    ...(interruptions > 0 ? [`${interruptions} cut-ins`] : []),
    ...(agentAnswers > 0 && spoken !== agentAnswers ? [`agent spoke ${spoken} times, not ${agentAnswers}`] : []),
    ...(own?.faults ?? []),
  ];
  const row = {
    group: tried.group,
    case: tried.name,
    'user entries': `${entries.length}/${expected.length}`,
    'agent spoke': agentAnswers === 0 ? spoken : `${spoken}/${agentAnswers}`,
    'cut-ins': interruptions,
    'delays ms': delays.join(' '),
    figure: own?.figure ?? '',
    'slip ms': Math.round(heard.recording.slipMs),
    fault: faults.join('; '),
  };
  return { row, delays, faults };
}

/** Without case and punctuation: those are the transcriber's. */
function plain(texts: readonly string[]): string {
  return texts
    .map((text) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} ]/gu, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .join(' | ');
}

async function keep(folder: string, { group, name }: HearingCase, heard: HeardCall): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${group} ${name}`.replace(/[^\w-]+/g, '-'));
  await writeFile(`${file}.wav`, stereo(heard.recording));
  const { recording, ...rest } = heard;
  const lines = recording.lines.map(({ fromMs, toMs, line }) => ({ fromMs, toMs, words: line.words }));
  await writeFile(`${file}.json`, JSON.stringify({ ...rest, lines, slipMs: recording.slipMs }, null, 2));
}

/** The user on the left, the agent on the right. */
function stereo({ user, agent }: RecordedCall): Uint8Array {
  const samples = new Int16Array(user.length * 2);
  for (let i = 0; i < user.length; i++) {
    samples[2 * i] = user[i] ?? 0;
    samples[2 * i + 1] = agent[i] ?? 0;
  }
  const data = new Uint8Array(samples.buffer);
  return encodeWav({ format: { encoding: 'linear16', sampleRateHz: 8_000 }, channels: 2, data });
}
