import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentConfigurationSchema } from '../../../engine/agent/agent-schema.ts';
import { exactReplay } from '../../../engine/tape/exact-replay.ts';
import { parseTape } from '../../../engine/tape/tape-file.ts';
import { TAPE_VERSION } from '../../../engine/tape/tape-format.ts';
import { entryFromVersion1, headerFromVersion1 } from '../../../engine/tape/upgrade-version-1.ts';

const FOLDER = join(import.meta.dirname, '../../../fixtures/old-tapes/version-1');
const TEXT = readFileSync(join(FOLDER, 'tape.jsonl'), 'utf8');
const AGENT = agentConfigurationSchema.parse(JSON.parse(readFileSync(join(FOLDER, 'agent.json'), 'utf8')));

describe('a tape of version 1', () => {
  it('is read with the current names and replays exactly up to the agent’s first words', () => {
    const { header, entries } = parseTape(TEXT);
    expect(header.tape).toBe(TAPE_VERSION);
    expect(header.parameters.transcriberTraits.detectsTurns).toBe(false);
    const changed = entries.findIndex(({ event }) => event.type === 'media.segment_started');
    expect(changed).toBeGreaterThan(0);
    expect(exactReplay(AGENT, header, entries.slice(0, changed))).toEqual({ ok: true, entries: changed });
  });

  it('keeps the sequence number, time and audio position of every entry', () => {
    const [, ...originalEntries] = TEXT.trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const positions = (entries: readonly { seq: number; atUs: number; audioMs?: number }[]) =>
      entries.map(({ seq, atUs, audioMs }) => [seq, atUs, audioMs]);
    expect(positions(parseTape(TEXT).entries)).toEqual(positions(originalEntries));
  });
});

describe('the names of version 1', () => {
  it.each([
    ['answer_type', 'answering_machine_detection'],
    ['answer_watch', 'answering_machine_correction'],
    ['busy', 'tool_filler'],
    ['dtmf', 'dtmf_entry'],
    ['ending', 'call_end'],
    ['fetched', 'screening_wait'],
    ['first_word', 'callee_first_word'],
    ['keys.call_1', 'send_dtmf.call_1'],
    ['machine', 'machine_silence'],
    ['machine_latest', 'machine_turn_limit'],
    ['model', 'generation'],
    ['one_moment', 'thinking_filler'],
    ['tool.call_1', 'tool.call_1'],
    ['voice', 'voice'],
  ])('timer %s becomes %s', (oldName, timer) => {
    const entry = {
      seq: 0,
      event: { type: 'timer', timer: oldName },
      commands: [{ type: 'timer.stop', timer: oldName }],
    };
    expect(entryFromVersion1(entry)).toEqual({
      seq: 0,
      event: { type: 'timer', timer },
      commands: [{ type: 'timer.stop', timer }],
    });
  });

  it.each([
    ['control.held', 'control.on_hold'],
    ['control.resumed', 'control.off_hold'],
    ['control.ended', 'control.ended'],
  ])('event %s becomes %s', (oldName, type) => {
    expect(entryFromVersion1({ event: { type: oldName, cause: 'busy' }, commands: [] })).toEqual({
      event: { type, cause: 'busy' },
      commands: [],
    });
  });

  it('`facts` become call parameters', () => {
    const traits = { detectsTurns: true, hasDeadline: true, finalP99Ms: 400 };
    const oldParameters = {
      callId: 'x',
      transcriberTraits: traits,
      fallbackTranscriberTraits: [traits],
      modelLatencies: [],
    };
    const renamed = { detectsTurns: true, hasDeadline: true, finalP99Ms: 400 };
    const oldHeader = new Map<string, unknown>([
      ['tape', 1],
      ['facts', oldParameters],
    ]);
    expect(headerFromVersion1(Object.fromEntries(oldHeader))).toEqual({
      tape: 2,
      parameters: { callId: 'x', transcriberTraits: renamed, fallbackTranscriberTraits: [renamed], modelLatencies: [] },
    });
  });

  it('are not replaced in values that are no objects', () => {
    for (const value of [null, 'x', 7, [1]]) {
      expect(headerFromVersion1(value)).toEqual(value);
      expect(entryFromVersion1(value)).toEqual(value);
    }
  });
});
