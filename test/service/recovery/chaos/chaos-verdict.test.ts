import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { encodeWavHeader } from '../../../../base/audio/wav.ts';
import { judge } from './chaos-verdict.ts';
import { callsWithAudio } from './disk-recordings.ts';

/** A run of one call `c`, answered and recorded on one node, in which every promise was kept. */
async function soundRun() {
  const recordings = join(await mkdtemp(join(tmpdir(), 'trunkline-verdict-')), 'recordings');
  await mkdir(recordings);
  await writeFile(join(recordings, 'c.wav'), wav(800));
  const node = {
    name: '1',
    dataDir: join(recordings, '..'),
    lostWrites: [] as string[],
    spooledAtKills: new Set(['c']),
    unexpectedExits: 0,
  };
  const row = {
    id: 'c',
    status: 'completed',
    end_reason: 'user_hangup',
    dialog_json: null,
    sip_call_id: null,
    recording_path: 'recordings/c.wav' as string | null,
    recording_complete: 1 as number | null,
    adopted_by: null as string | null,
  };
  const events = ['event_call_ended', 'event_recording_ready'].map((type, index) => ({
    id: `e${index + 1}`,
    call_id: 'c',
    sequence: index + 1,
    type,
    status: 'delivered',
  }));
  const placed = {
    callId: 'c',
    node,
    isAnswered: true,
    hangsUp: false,
    endedBy: 'callee' as 'callee' | 'ghost',
    invitedAtMs: 0,
    answeredAtMs: 1_000,
    endedAtMs: 30_000,
  };
  const arrivals = events.map((event) => ({ ...event, body: '' }));
  const calls = { placed: [placed], staged: ['c'] };
  const record = {
    stored: { calls: [row], events, answered: [] },
    calls,
    hooks: { arrivals },
    nodes: [node],
    faults: [],
  };
  return { record, recordings, node, row, events, arrivals, placed, staged: calls.staged };
}

type Run = Awaited<ReturnType<typeof soundRun>>;

it('accepts a run in which every promise was kept', async () => {
  const { record } = await soundRun();
  const verdict = await judge(record);
  expect(verdict).toMatchObject({ calls: 1, answered: 1, nodeLost: 0, webhooks: 2, repeatedWebhooks: 0 });
  expect(verdict.violations).toEqual([]);
});

const BROKEN: [violation: string, change: (run: Run) => unknown][] = [
  ['call c is in_progress', ({ row }) => Object.assign(row, { status: 'in_progress' })],
  ['call c ended 0 times', ({ events }) => events.shift()],
  ['call c ended 2 times', ({ events }) => events.push({ ...eventOf(events), sequence: 3 })],
  ['call c: gap in 1,3', ({ events }) => Object.assign(events[1] ?? {}, { sequence: 3 })],
  ['call c: webhooks came as 2,1', ({ arrivals }) => arrivals.reverse()],
  ['call c: 1 of 2 webhooks came', ({ arrivals }) => arrivals.pop()],
  ['call c: its recording was never finished', ({ row }) => Object.assign(row, { recording_complete: null })],
  ['call c: its recording was reported 0 times', ({ events }) => events.pop()],
  ['call c: its recording is on no disk', ({ recordings }) => rm(join(recordings, 'c.wav'))],
  ['call c: it was answered, and has no recording', ({ row }) => Object.assign(row, { recording_path: null })],
  ['call c: no row names its recording on node 1', ({ row }) => Object.assign(row, { recording_path: null })],
  ['call d: no row names its recording on node 1', ({ recordings }) => writeFile(join(recordings, 'd.wav'), wav(0))],
  [
    'call d: no row names its recording on node 1',
    ({ recordings }) => writeFile(join(recordings, 'd.unredacted.wav'), wav(800)),
  ],
  ['call d: its recording is lost after a kill of node 1', ({ node }) => node.spooledAtKills.add('d')],
  ['node 1: call write failed', ({ node }) => node.lostWrites.push('call write failed')],
  ['node 1 exited by itself', ({ node }) => Object.assign(node, { unexpectedExits: 1 })],
  ['call c: its caller got no BYE', ({ placed }) => Object.assign(placed, { endedBy: 'ghost' })],
  [
    'call c: its INVITE got no final response',
    ({ placed }) => Object.assign(placed, { endedBy: 'ghost', isAnswered: false }),
  ],
  ['call d is not stored', ({ staged }) => staged.push('d')],
];

it.each(BROKEN)('reports a broken promise: %s', async (violation, change) => {
  const run = await soundRun();
  await change(run);
  expect((await judge(run.record)).violations).toContain(violation);
});

it('reports a recording that was deleted after a kill, also of a call that another node closed', async () => {
  const { node, record, recordings, row } = await soundRun();
  node.spooledAtKills = new Set();
  Object.assign(row, { adopted_by: 'node-2', end_reason: 'node_lost', recording_path: null, recording_complete: null });
  record.stored.events.pop();
  record.hooks.arrivals.pop();
  await rm(join(recordings, 'c.wav'));
  expect((await judge(record)).violations).toEqual([]);
  node.spooledAtKills.add('c');
  expect((await judge(record)).violations).toEqual(['call c: its recording is lost after a kill of node 1']);
});

it('takes a recording without audio for not spooled', async () => {
  const { node, recordings } = await soundRun();
  await writeFile(join(recordings, 'empty.wav'), wav(0));
  await rename(join(recordings, 'c.wav'), join(recordings, 'c.unredacted.wav'));
  expect([...(await callsWithAudio(node.dataDir))]).toEqual(['c']);
});

function eventOf([event]: Run['events']): Run['events'][number] {
  if (event === undefined) throw new Error('the call has no event');
  return event;
}

/** A recording with `frames` frames of silence. */
function wav(frames: number): Uint8Array {
  const samples = new Uint8Array(frames * 4);
  const header = encodeWavHeader({ encoding: 'linear16', sampleRateHz: 8_000 }, 2, samples.length);
  return Buffer.concat([header, samples]);
}
