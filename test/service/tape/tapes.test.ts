import { readdirSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { decodeWav } from '../../../base/audio/wav.ts';
import { type CallOutcome, outcomeOf } from '../../../engine/tape/call-outcome.ts';
import { reSimulate } from '../../../engine/tape/re-simulation/re-simulation.ts';
import { readRecordedResponses } from '../../../engine/tape/re-simulation/read-recorded-responses.ts';
import type { RequestDifference } from '../../../engine/tape/re-simulation/request-difference.ts';
import { readTapeFolder, type TapeFolder } from '../../../src/cli/files/tape-folder.ts';
import { loadTapeProvider, tapeProviders } from '../../../src/cli/files/tape-provider.ts';
import { eventually } from '../rig/eventually.ts';
import { dialIn, TO } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';
import { openCallee } from './answering-callee.ts';
import { type FunctionServer, startFunctionServer } from './function-server.ts';
import { callerOf, outcomeFaults, readOutcome, renamed } from './played-tape.ts';
import { Standstills } from './standstills.ts';

const CALLS = join(import.meta.dirname, '../../../fixtures/calls');
const NAMES = readdirSync(CALLS);
/** Upper bound for the longest tape, ms. */
const TAPE_PLAYED_MS = 90_000;
/** Maximum of plays of a tape. The last play counts, even if the machine stood still during it. */
const PLAYS_MAX = 4;
/** A disturbed tape is played again once the machine has run without a standstill for this long. */
const CALM_MS = 2_000;
/** Upper bound of the wait for `CALM_MS`. */
const CALM_TIMEOUT_MS = 60_000;
/** All tapes play at once the first time. Later few at once, so that the calls do not disturb each other. */
const CONCURRENT_REPLAYS = 3;
/** No replay starts after this time, so that the last one ends before `PLAYING_TIMEOUT_MS`. */
const LAST_REPLAY_MS = 420_000;
/** Upper bound of all plays. */
const PLAYING_TIMEOUT_MS = 600_000;

interface PlayedCall {
  /** Folder of the tape that the call recorded. */
  readonly live: string;
  /** SIP messages, for the report of a failure. */
  readonly ladder: readonly string[];
}

/** Plays one tape over the network: inbound or outbound, as recorded. */
async function play(test: TestService, copies: string, name: string, nth: number): Promise<PlayedCall> {
  const { agent, header, entries } = await readTapeFolder(join(copies, name));
  const { id } = await test.api.createAgent({ ...agent, record_tape: true, name });
  const caller = await callerOf(join(CALLS, name), entries);
  if (header.parameters.direction === 'inbound') {
    const { callId, report } = await dialIn(test, id, caller);
    const { ladder } = await report;
    return { live: await tapeOf(test, callId), ladder };
  }
  const ringing = entries.find(({ event }) => event.type === 'control.ringing')?.atUs ?? 0;
  const answeredAt = entries.find(({ event }) => event.type === 'control.answered')?.atUs ?? ringing;
  const callee = await openCallee(caller.audio ?? new Int16Array(0), (answeredAt - ringing) / 1000);
  try {
    const ourNumber = `+3312345${6000 + nth}`;
    const trunk = { name: ourNumber, termination_uri: `127.0.0.1:${callee.hop.port}`, transport: 'udp' };
    const { id: trunkId } = await test.api.requestOk(
      z.looseObject({ id: z.string() }),
      'POST',
      '/v1/sip-trunks',
      trunk,
    );
    await test.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', {
      number: ourNumber,
      name: ourNumber,
      trunk_id: trunkId,
    });
    const request = { from_number: ourNumber, to_number: TO, agent_id: id };
    const placed = await test.api.requestOk(z.looseObject({ call_id: z.string() }), 'POST', '/v1/calls/phone', request);
    await test.api.callIn(placed.call_id, ['completed', 'failed'], TAPE_PLAYED_MS);
    return { live: await tapeOf(test, placed.call_id), ladder: callee.methods() };
  } finally {
    callee.close();
  }
}

async function tapeOf(test: TestService, callId: string): Promise<string> {
  const live = join(test.dataDir, 'tapes', callId);
  await eventually(() => readOutcome(live));
  return live;
}

/** Differences between the call and the tape that it played. */
async function liveFaults(name: string, { live }: PlayedCall): Promise<readonly string[]> {
  return outcomeFaults(await readOutcome(join(CALLS, name)), await readOutcome(live));
}

/** Differences between the call and the re-simulation of its own tape. */
async function reSimulationFaults({ live }: PlayedCall): Promise<readonly string[]> {
  const tape = await readTapeFolder(live);
  return outcomeFaults(outcomeOf(tape.entries), reSimulate(tape.agent, tape, tapeProviders).simulated);
}

/** Plays all tapes on one service, each with its own tape provider. */
describe('a tape played once over real SIP and RTP', () => {
  let test: TestService;
  let functions: FunctionServer;
  let copies: string;
  const differences = new Map<string, RequestDifference[]>();
  const played = new Map<string, PlayedCall>();

  beforeAll(async () => {
    copies = await mkdtemp(join(tmpdir(), 'trunkline-tapes-'));
    const tapes = new Map<string, TapeFolder>();
    for (const name of NAMES) tapes.set(name, await readTapeFolder(join(CALLS, name)));
    functions = await startFunctionServer(
      new Map([...tapes].map(([name, tape]) => [name, readRecordedResponses(tape).tools])),
    );
    const providers = [];
    for (const name of NAMES) {
      const copy = join(copies, name);
      await cp(join(CALLS, name), copy, { recursive: true });
      for (const file of ['agent.json', 'tape.jsonl']) {
        await writeFile(join(copy, file), renamed(await readFile(join(copy, file), 'utf8'), name, functions.origin));
      }
      const tapeDifferences: RequestDifference[] = [];
      differences.set(name, tapeDifferences);
      providers.push(await loadTapeProvider(copy, (difference) => tapeDifferences.push(difference), `tape-${name}`));
    }
    test = await startTestService({ CALL_HOSTS: '0' }, { providers });
    const standstills = new Standstills(test);
    let callCount = 0;
    /** True if a standstill of the machine explains the faults of the call: the play proves nothing. */
    const playDisturbed = async (name: string): Promise<boolean> => {
      const startMs = performance.now();
      const call = await play(test, copies, name, callCount++);
      const stoodStill = standstills.since(startMs);
      played.set(name, call);
      if (!stoodStill) return false;
      return (await liveFaults(name, call)).length + (await reSimulationFaults(call)).length > 0;
    };
    const lastReplayMs = performance.now() + LAST_REPLAY_MS;
    const firstPlays = await Promise.all(NAMES.map(playDisturbed));
    const disturbed = NAMES.filter((_, index) => firstPlays[index]);
    const replay = async (name: string) => {
      for (let plays = 1; plays < PLAYS_MAX && performance.now() < lastReplayMs; plays++) {
        await standstills.calm(CALM_MS, CALM_TIMEOUT_MS);
        if (!(await playDisturbed(name))) return;
      }
    };
    const remaining = disturbed.values();
    const replayRemaining = async () => {
      for (const name of remaining) await replay(name);
    };
    await Promise.all(Array.from({ length: CONCURRENT_REPLAYS }, replayRemaining));
    standstills.close();
  }, PLAYING_TIMEOUT_MS);
  afterAll(async () => {
    await test?.close();
    await functions?.close();
    await rm(copies, { recursive: true, force: true });
  });

  const playedCall = (name: string): PlayedCall => {
    const call = played.get(name);
    if (call === undefined) throw new Error(`${name} was not played`);
    return call;
  };

  it.each(NAMES)(
    '%s has the recorded states, tools, variables and end, and interrupted text within one word',
    async (name) => {
      const call = playedCall(name);
      const trace = `${JSON.stringify(differences.get(name))}\n${call.ladder.join('\n')}`;
      expect(await liveFaults(name, call), trace).toEqual([]);
    },
  );

  it.each(NAMES)(
    '%s leaves a tape with the exact audio of the user, and its re-simulation is the same call',
    async (name) => {
      const call = playedCall(name);
      const { live } = call;
      const tape = await readTapeFolder(live);
      const sent = decodeWav(await readFile(join(CALLS, name, 'caller.wav')))?.data ?? new Uint8Array(0);
      const heard = decodeWav(await readFile(join(live, 'caller.wav')))?.data ?? new Uint8Array(0);
      const both = Math.min(sent.length, heard.length);
      expect(both / 8).toBeGreaterThan(5_000);
      expect(Buffer.compare(heard.subarray(0, both), sent.subarray(0, both))).toBe(0);
      expect(heard.length / 8).toBeGreaterThanOrEqual(tape.entries.at(-1)?.audioMs ?? 0);
      const spokenMs = tape.entries.map(({ event }) => (event.type === 'voice.done' ? event.durationMs : 0));
      const voice = decodeWav(await readFile(join(live, 'voice.wav')))?.data ?? new Uint8Array(0);
      expect(voice.length / 8).toBeCloseTo(
        spokenMs.reduce((sum, ms) => sum + ms, 0),
        3,
      );
      expect(await reSimulationFaults(call)).toEqual([]);
    },
  );
});

describe('the comparison of two outcomes', () => {
  it('finds differences of states, tools, variables, lines and end, and of interrupted text beyond one word', async () => {
    const expected = await readOutcome(join(CALLS, 'true-interruption'));
    expect(outcomeFaults(expected, expected)).toEqual([]);
    const interruptedAfter = (content: string): CallOutcome => ({
      ...expected,
      transcript: expected.transcript.map((line) =>
        line.role === 'agent' && line.interrupted ? { ...line, content } : line,
      ),
    });
    const cut = expected.transcript.find((entry) => entry.role === 'agent' && entry.interrupted);
    if (cut?.role !== 'agent') throw new Error('the tape has no interrupted text');
    const words = cut.content.split(' ');
    for (const close of [words.slice(0, -1), [...words, 'more']])
      expect(outcomeFaults(expected, interruptedAfter(close.join(' ')))).toEqual([]);
    for (const other of [words.slice(0, -2), ['Other', ...words.slice(1)], []])
      expect(outcomeFaults(expected, interruptedAfter(other.join(' ')))).toHaveLength(1);
    expect(outcomeFaults(expected, { ...expected, endReason: 'silence' })).toHaveLength(1);
    expect(outcomeFaults(expected, { ...expected, states: [] })).toHaveLength(1);
    expect(outcomeFaults(expected, { ...expected, toolCalls: [{ name: 'x', successful: true }] })).toHaveLength(1);
    expect(outcomeFaults(expected, { ...expected, variables: [{ name: 'x', value: 1 }] })).toHaveLength(1);
    expect(outcomeFaults(expected, { ...expected, transcript: expected.transcript.slice(1) })).toHaveLength(1);
  });
});
