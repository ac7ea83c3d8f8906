import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentConfigurationSchema } from '../../../engine/agent/agent-schema.ts';
import { exactReplay } from '../../../engine/tape/exact-replay.ts';
import { parseTape } from '../../../engine/tape/tape-file.ts';
import { TAPE_VERSION } from '../../../engine/tape/tape-format.ts';
import { entryFromVersion2, headerFromVersion2 } from '../../../engine/tape/upgrade-version-2.ts';

/** A call whose language model fails, with the sentences that version 2 logged. */
const FOLDER = join(import.meta.dirname, '../../../fixtures/old-tapes/version-2');
const TEXT = readFileSync(join(FOLDER, 'tape.jsonl'), 'utf8');
const AGENT = agentConfigurationSchema.parse(JSON.parse(readFileSync(join(FOLDER, 'agent.json'), 'utf8')));

describe('a tape of version 2', () => {
  it('is read without its log commands and replays exactly up to the agent’s first words', () => {
    expect(TEXT).toContain('{"type":"log","level":"warn","message":');
    const { header, entries } = parseTape(TEXT);
    expect(header.tape).toBe(TAPE_VERSION);
    const changed = entries.findIndex(({ event }) => event.type === 'media.segment_started');
    expect(changed).toBeGreaterThan(0);
    expect(exactReplay(AGENT, header, entries.slice(0, changed))).toEqual({ ok: true, entries: changed });
  });

  it('keeps everything else of every entry', () => {
    const [, ...originalEntries] = TEXT.trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const withoutLogs = originalEntries.map((entry) => ({
      ...entry,
      commands: entry.commands.filter(({ type }: { type: string }) => type !== 'log'),
    }));
    expect(parseTape(TEXT).entries).toEqual(withoutLogs);
  });

  it('is not changed where its values are no objects', () => {
    for (const value of [null, 'x', 7, [1]]) {
      expect(headerFromVersion2(value)).toEqual(value);
      expect(entryFromVersion2(value)).toEqual(value);
    }
    expect(entryFromVersion2({ commands: [null, 'log', { level: 'warn' }] })).toEqual({
      commands: [null, 'log', { level: 'warn' }],
    });
  });
});
