import { readdirSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { replayCommand } from '../../../../src/cli/commands/replay.ts';

const CALLS = join(import.meta.dirname, '../../../../fixtures/calls');
const BOOKING = join(CALLS, 'booking');
const TAPES = readdirSync(CALLS).length;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-replay-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(args: readonly string[], isTTY = false) {
  const written: string[] = [];
  const status = await replayCommand(args, { isTTY, write: (text: string) => written.push(text) });
  return { status, text: written.join(''), written };
}

/** A copy of the booking tape with one text replaced in one of its files. */
async function mutated(name: string, file: string, from: string | RegExp, to: string): Promise<string> {
  const copy = join(folder, name);
  await cp(BOOKING, copy, { recursive: true });
  const text = await readFile(join(copy, file), 'utf8');
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${file} does not contain ${String(from)}`);
  await writeFile(join(copy, file), changed);
  return copy;
}

describe('trunkline replay', () => {
  it('replays a folder of tapes and prints a line with the speed for each', async () => {
    const { status, text } = await run([CALLS]);
    expect(status, text).toBe(0);
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(TAPES + 1);
    expect(lines[0]).toMatch(/^booking +37\.\d s of call in \d+ ms, \d+ times real time: the same, \d+ entries/);
    expect(lines.at(-1)).toMatch(new RegExp(`^${TAPES} tapes: \\d+\\.\\d s of call in \\d+ ms, \\d+ times real time$`));
  });

  it('prints one line for each turn with --turns', async () => {
    const { status, text } = await run(['--turns', join(CALLS, 'interrupted-tool-call')]);
    expect(status, text).toBe(0);
    const turns = text.trimEnd().split('\n').slice(1);
    expect(turns[0]).toMatch(/^ +1 +\d+\.\d{3} s {2}agent; .*heard \d+/);
    expect(turns[1]).toMatch(
      /^ +2 +\d+\.\d{3} s {2}user, ended by pause \([\d.]+: [a-z_, ]+\) \d+; asked -?\d+.*; committed \d+.*; tool \w+ \d+ to …/,
    );
  });

  it('re-simulates a folder of tapes', async () => {
    const { status, text } = await run(['--simulate', CALLS]);
    expect(status, text).toBe(0);
    expect(text.match(/: the same outcome/g)).toHaveLength(TAPES);
  });

  it('prints the first command that differs, with the events and times before it', async () => {
    const tape = await mutated(
      'mutated',
      'tape.jsonl',
      /("type":"timer.start","timer":"endpoint","delayMs":)\d+/,
      '$17',
    );
    const { status, text } = await run([tape, BOOKING]);
    expect(status).toBe(1);
    const output = text.split('\n');
    expect(output[0]).toMatch(/^mutated .* differs at entry \d+$/);
    expect(output.slice(1, 7).every((line) => /^ +\d+ +\d+\.\d{3} s {2}\{"type":/.test(line))).toBe(true);
    expect(output[7]).toMatch(/^ {2}command \d+ of the last one:$/);
    expect(text).toMatch(/\n {2}- +"delayMs": 7,?\n {2}\+ +"delayMs": \d+,?\n/);
    expect(text, 'later tapes are still replayed').toMatch(/\nbooking .*: the same, /);
  });

  it('prints a missing or additional command', async () => {
    const [first = '', second = ''] = [/,\{"type":"call.close"\}/, ''];
    const tape = await mutated('short', 'tape.jsonl', first, second);
    const { status, text } = await run([tape]);
    expect(status).toBe(1);
    expect(text).toContain('- (no further command)\n');
    expect(text).toContain('"type": "call.close"');
  });

  it('runs another agent with the recorded user, and prints the differences of the transcript', async () => {
    const agent = await mutated('other', 'agent.json', 'How may I help you?', 'What can I do for you?');
    const { status, text } = await run(['--agent', join(agent, 'agent.json'), BOOKING]);
    expect(status).toBe(1);
    expect(text).toContain('  - agent: Trattoria Lucia, good evening. How may I help you?\n');
    expect(text).toContain('  + agent: Trattoria Lucia, good evening. What can I do for you?\n');
    expect(text).toContain('    user: Good evening, I would like to book a table for Friday.\n');
    expect(text).toContain('segment of the voice 2 was asked for otherwise');
    expect(text).toContain('the events up to the first that is not the tape’s:');
  });

  it('accepts the body of POST /v1/agents, with the tape’s providers as defaults', async () => {
    const recorded: unknown = JSON.parse(await readFile(join(BOOKING, 'agent.json'), 'utf8'));
    const { voice, llm, transcriber, ...rest } = z.looseObject({}).parse(recorded);
    expect([voice, llm, transcriber]).not.toContain(undefined);
    const file = join(folder, 'body.json');
    await writeFile(file, JSON.stringify({ ...rest, name: 'Booking', webhook_url: 'https://hooks.example.com' }));
    const { status, text } = await run(['--agent', file, BOOKING]);
    expect(status, text).toBe(0);
  });

  it('refuses an agent with an invalid graph, and runs nothing', async () => {
    const agent = await mutated('graph', 'agent.json', /"initial_state_name": ?"[^"]*"/, '"initial_state_name":"none"');
    const { status, text } = await run(['--agent', join(agent, 'agent.json'), BOOKING]);
    expect(status).toBe(2);
    expect(text).toContain('agent.json: initial_state_name: no state has this name\n');
    expect(text).not.toContain('times real time');
  });

  it('reports a tape that ends before its call', async () => {
    const cut = await mutated('cut', 'tape.jsonl', /(?<=^(?:.*\n){20})[\s\S]*$/, '');
    const { status, text } = await run([cut]);
    expect([status, text]).toEqual([0, expect.stringContaining('; the tape stops before the call ended\n')]);
    expect((await run([BOOKING])).text).not.toContain('stops');
  });

  it('prints its usage with --help', async () => {
    const { status, text } = await run(['--help']);
    expect([status, text.split('\n')[0]]).toEqual([0, 'trunkline replay [--simulate] [--agent FILE] [--turns] DIR…']);
  });

  it('prints its progress only on a terminal', async () => {
    expect((await run([BOOKING], true)).written[0]).toBe('1/1 booking …');
    expect((await run([BOOKING])).text).not.toContain('1/1');
  });

  it.each([
    { name: 'nothing', args: [], output: 'trunkline replay [--simulate]' },
    { name: 'an unknown option', args: ['--fast', BOOKING], output: "Unknown option '--fast'" },
    {
      name: 'a missing folder',
      args: ['/nowhere/at/all'],
      output: '/nowhere/at/all: there is no such folder\n',
    },
    {
      name: 'a file',
      args: [join(BOOKING, 'tape.jsonl')],
      output: 'tape.jsonl: this is a file, and a tape is a folder',
    },
    { name: 'a folder without a tape', args: [join(CALLS, '..', 'speech')], output: 'contains no tape' },
    {
      name: 'an invalid agent',
      args: ['--agent', join(BOOKING, 'expected.json'), BOOKING],
      output: 'expected.json: initial_state_name: ',
    },
    { name: 'a missing agent file', args: ['--agent', '/nowhere.json', BOOKING], output: 'file not found' },
  ])('with $name exits with 2 and prints the reason', async ({ args, output }) => {
    const { status, text } = await run(args);
    expect(status).toBe(2);
    expect(text).toContain(output);
  });

  it('with a broken tape exits with 2, prints the fault and its line, and replays the other tapes', async () => {
    const broken = await mutated('broken', 'tape.jsonl', '{"tape":3', '{"tape":9');
    const { status, text } = await run([broken, BOOKING]);
    expect(status).toBe(2);
    expect(text).toContain(
      'broken   tape.jsonl, line 1: this is a tape of version 9, and only those of versions 1 to 3 are read',
    );
    expect(text).toMatch(/\nbooking .*the same/);
  });
});
