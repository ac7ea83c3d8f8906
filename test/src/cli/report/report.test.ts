import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { replayCommand } from '../../../../src/cli/commands/replay.ts';
import { reportCommand } from '../../../../src/cli/commands/report.ts';
import { openDatabase } from '../../../../src/storage/database/database.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { endTimelineCall, storeTimelineCall, TIMELINE_CALL_ID } from '../../api/timeline/timeline-call.ts';
import { START_MS, storeAgent, temporaryFolder } from '../../storage/temporary-database.ts';

const KEY = 'tl_PlantedKeyOfTheService0123456789abcdef';
const PROVIDER_KEY = 'plantedProviderKey77';
/** Each occurs in another place of the call, written as people and machines write numbers. */
const PLANTED = {
  spoken: '0171 234 56 78',
  typed: '4917',
  inVariable: '+49 (171) 987-65-43',
  inArguments: 4_917_155_512,
  inMetadata: '+33612345678',
  inResult: '5556677889',
  inWords: 'null eins sieben eins zwei',
  fromNumber: '+4915112345678',
};

interface ReportFile {
  readonly timeline: { readonly silences: readonly unknown[] };
  readonly settings: Readonly<Record<string, string>>;
  readonly missing: Readonly<Record<string, string>>;
  readonly tape: { readonly isSameCourse: boolean } | null;
}

async function reportOf(change: (dataDir: string) => Promise<void> = async () => {}) {
  const dataDir = await temporaryFolder();
  const database = await openDatabase({ dataDir });
  onTestFinished(() => database.close());
  const repositories = createRepositories(database);
  await repositories.organizations.ensureDefault(START_MS);
  await storeTimelineCall(repositories, await storeAgent(database));
  const stored = await repositories.calls.find(TIMELINE_CALL_ID);
  if (stored === null) throw new Error('the call is not stored');
  const metadata = { [PLANTED.inMetadata]: `key ${PROVIDER_KEY}`, phone: PLANTED.inArguments };
  await repositories.calls.replaceMetadata(stored, metadata);
  const said = (sequence: number, content: string) =>
    ({ type: 'transcript', entry: { role: 'user', sequence, startUs: sequence * 1e6, endUs: null, content } }) as const;
  await repositories.journal.appendJournal(TIMELINE_CALL_ID, {
    startedWallMs: START_MS,
    entries: [
      said(20, `My number is ${PLANTED.spoken}.`),
      said(21, `Die Nummer ist ${PLANTED.inWords}.`),
      { type: 'transcript', entry: { ...said(22, PLANTED.typed).entry, role: 'dtmf' } },
      { type: 'variable', name: 'phone', variableType: 'string', value: PLANTED.inVariable, atUs: 1 },
      {
        type: 'transcript',
        entry: {
          ...said(23, '').entry,
          role: 'tool_call',
          toolCallId: 'call_9',
          name: 'dial',
          toolType: 'custom_function',
          arguments: { number: PLANTED.inArguments, header: `Bearer ${KEY}` },
        },
      },
      {
        type: 'transcript',
        entry: {
          ...said(24, PLANTED.inResult).entry,
          role: 'tool_response',
          toolCallId: 'call_9',
          name: 'dial',
          successful: true,
        },
      },
    ],
  });
  await endTimelineCall(repositories);
  await change(dataDir);
  const file = join(dataDir, 'report.json');
  let output = '';
  const environment = {
    DATA_DIR: dataDir,
    OPENAI_API_KEY: PROVIDER_KEY,
    LOG_LEVEL: 'debug',
    SIP_EXTERNAL_ADDRESS: '192.0.2.44',
  };
  const status = await reportCommand([TIMELINE_CALL_ID, file], environment, {
    write: (text: string) => (output += text),
  });
  expect(output).toContain(file);
  expect(status).toBe(0);
  const text = await readFile(file, 'utf8');
  const report: ReportFile = JSON.parse(text);
  return { file, report, text };
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

it('holds the call and its silences, and none of the planted numbers, keys and secrets', async () => {
  const { report, text } = await reportOf();
  expect(report.timeline.silences.length).toBeGreaterThan(0);
  expect(report.settings).toMatchObject({ LOG_LEVEL: 'debug', OPENAI_API_KEY: '(set)', SIP_EXTERNAL_ADDRESS: '(set)' });
  expect(Object.keys(report.missing)).toEqual(['sip_ladder', 'tape']);
  for (const planted of [...Object.values(PLANTED).map(String), KEY, PROVIDER_KEY, '192.0.2.44']) {
    expect(text).not.toContain(planted);
    // Nor with the digits in another form, if they are long enough to be no coincidence.
    if (digitsOf(planted).length >= 7) expect(text).not.toContain(digitsOf(planted).slice(2));
  }
});

it('holds a tape that replays without a difference and names no number of its call', async () => {
  const { file, report, text } = await reportOf((dataDir) =>
    cp('fixtures/calls/presence', join(dataDir, 'tapes', TIMELINE_CALL_ID), { recursive: true }),
  );
  expect(report.tape?.isSameCourse).toBe(true);
  expect(text).not.toContain('caller.wav');
  let output = '';
  expect(await replayCommand([file], { write: (part: string) => (output += part) })).toBe(0);
  expect(output).toContain('the same');
});

it.each(['dictated-digits', 'dtmf-entry'])(
  'masks the events of a tape and lets the rules make its commands: %s',
  async (tape) => {
    const { file, report } = await reportOf((dataDir) =>
      cp(`fixtures/calls/${tape}`, join(dataDir, 'tapes', TIMELINE_CALL_ID), { recursive: true }),
    );
    const log = JSON.parse(await readFile(file, 'utf8')).tape.log as string;
    const events = log
      .split('\n')
      .slice(1, -1)
      .map((line) => JSON.stringify(JSON.parse(line).event));
    const spoken = events
      .filter((event) => /^\{"type":"(transcriber\.(final|interim)|media\.dtmf)/.test(event))
      .join('\n');
    expect(spoken).not.toMatch(/"(text|digit)":"[^"]*([1-9]|five|eight|seven)/i);
    expect(report.tape).not.toBeNull();
    expect(await replayCommand([file], { write: () => true })).toBe(0);
  },
);

it('refuses wrong usage and an unknown call', async () => {
  const dataDir = await temporaryFolder();
  const write = () => true;
  expect(await reportCommand([], { DATA_DIR: dataDir }, { write })).toBe(2);
  expect(await reportCommand([TIMELINE_CALL_ID], { DATA_DIR: dataDir }, { write })).toBe(1);
});
