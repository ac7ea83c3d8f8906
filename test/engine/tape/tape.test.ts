import { describe, expect, it } from 'vitest';
import { exactReplay } from '../../../engine/tape/exact-replay.ts';
import { readRecordedResponses } from '../../../engine/tape/re-simulation/read-recorded-responses.ts';
import { formatTapeEntry, formatTapeHeader, parseTape, TapeFault } from '../../../engine/tape/tape-file.ts';
import { TAPE_VERSION, type TapeHeader } from '../../../engine/tape/tape-format.ts';
import { agentWith } from '../simulation/agent-with.ts';
import { tapeHeaderOf } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const SCENARIO = {
  agent: {
    initial_message: 'Hello.',
    variables: [{ name: 'day' }],
    states: [
      { name: 'start', tools: [{ type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' }] },
    ],
  },
  model: [
    { after: 0.1, toolCalls: [{ name: 'lookup' }] },
    { after: 0.15, text: 'On Monday. At ten.' },
  ],
  extractions: [{ day: 'Monday' }],
  tools: { lookup: { after: 0.4, result: { content: 'ok' } } },
};

function recordCall() {
  const call = new Simulation(SCENARIO).userSpeaks(1, 2, 'When are you free?').hangUpAt(8).runUntil(20);
  const header: TapeHeader = { tape: TAPE_VERSION, parameters: call.parameters, format: call.media.format };
  return { call, text: formatTapeHeader(header) + call.tape.map(formatTapeEntry).join('') };
}

describe('a tape', () => {
  it('replays exactly, every command in order', () => {
    const { call, text } = recordCall();
    const tape = parseTape(text);
    expect(exactReplay(agentWith(SCENARIO.agent), tape.header, tape.entries)).toEqual({
      ok: true,
      entries: call.tape.length,
    });
  });

  it('replays exactly if only its notices differ', () => {
    const { call, text } = recordCall();
    const { header, entries } = parseTape(text);
    const notice = { type: 'user_audio_lost', lostMs: 1 } as const;
    const withNotices = entries.map((entry) => ({
      ...entry,
      commands: [{ type: 'log', notice } as const, ...entry.commands],
    }));
    expect(exactReplay(agentWith(SCENARIO.agent), header, withNotices)).toEqual({
      ok: true,
      entries: call.tape.length,
    });
  });

  it('replays exactly with the events of an older build that no rule reads', () => {
    const { call, text } = recordCall();
    const [header, ...lines] = text.trimEnd().split('\n');
    const entries = lines.flatMap((line) => {
      const entry = JSON.parse(line);
      const heard = { ...entry, event: { type: 'transcriber.speech', audioMs: 1_000 }, commands: [] };
      return entry.event.type === 'transcriber.final' ? [heard, entry] : [entry];
    });
    const renumbered = entries.map((entry, seq) => JSON.stringify({ ...entry, seq }));
    const tape = parseTape(`${[header, ...renumbered].join('\n')}\n`);
    const replayed = exactReplay(agentWith(SCENARIO.agent), tape.header, tape.entries);
    expect(replayed).toEqual({ ok: true, entries: call.tape.length + 1 });
  });

  it('shows the first divergence with the entries that led to it', () => {
    const { text } = recordCall();
    const tape = parseTape(text);
    const outcome = exactReplay(
      agentWith({ ...SCENARIO.agent, initial_message: 'Good day.' }),
      tape.header,
      tape.entries,
    );
    if (outcome.ok) throw new Error('another agent gave the same commands');
    expect(outcome.divergence).toMatchObject({
      expected: { type: 'voice.speak', text: 'Hello.' },
      actual: { type: 'voice.speak', text: 'Good day.' },
    });
    expect(outcome.divergence.leadingUp.map(({ event }) => event.type)).toEqual(['call.offered', 'control.answered']);
  });

  it('yields the events of a replacement transcriber stream in that stream’s own times', () => {
    const error = { provider: 'test', code: 'closed', message: '', retryable: true } as const;
    const call = new Simulation({ agent: {} });
    for (let packet = 1; packet <= 200; packet++) call.at(packet / 50, () => call.media.receive(20));
    call
      .at(2, () => call.emitFinal(1, 1.9, 'Yes'))
      .at(2.1, () => call.emitTranscriberEvent({ type: 'failed', error }))
      .at(3, () => call.emitTranscriberEvent({ type: 'interim', text: 'and no', startMs: 100, endMs: 1_000 }))
      .runUntil(4);
    const { transcriber } = readRecordedResponses({ header: tapeHeaderOf(call), entries: call.tape });
    expect(transcriber.map(({ stream, audioMs, event }) => [stream, audioMs, event.type])).toEqual([
      [undefined, 2_000, 'final'],
      [undefined, 2_100, 'failed'],
      [1, 0, 'ready'],
      [1, 3_000 - 1_900, 'interim'],
    ]);
    expect(transcriber.at(-1)?.event).toMatchObject({ startMs: 100, endMs: 1_000 });
  });

  it('yields each voice failure with its delay and its audio', () => {
    const call = new Simulation({
      agent: { initial_message: 'One two three four.' },
      voice: {
        failsAt: [
          { textIndex: 0, afterMs: 400 },
          { textIndex: 1, afterMs: 0 },
        ],
      },
    }).runUntil(10);
    const { voices } = readRecordedResponses({ header: tapeHeaderOf(call), entries: call.tape });
    expect(voices.slice(0, 2)).toMatchObject([
      { text: 'One two three four.', delayMs: 200, durationMs: 400, error: { code: 'unavailable' } },
      { delayMs: 200, durationMs: 0, error: { code: 'unavailable' } },
    ]);
  });

  it('yields the answers of each provider with their delays', () => {
    const { text } = recordCall();
    const answers = readRecordedResponses(parseTape(text));
    expect(answers.transcriber.map(({ event }) => event.type)).toEqual(['final']);
    expect(answers.models.map(({ events }) => events.map(({ delayMs, event }) => [delayMs, event.type]))).toEqual([
      [
        [100, 'tool_call'],
        [100, 'done'],
      ],
      [
        [150, 'text'],
        [150, 'text'],
        [150, 'text'],
        [150, 'done'],
      ],
    ]);
    expect(answers.extractions.map(({ events }) => events[0])).toEqual([
      { delayMs: 300, event: { type: 'text', text: '{"day":"Monday"}' } },
    ]);
    expect(answers.voices).toEqual([
      { text: 'Hello.', delayMs: 200, durationMs: 300, offsetMs: 0 },
      { text: 'On Monday.', delayMs: 200, durationMs: 500, offsetMs: 300 },
      { text: 'At ten.', delayMs: 0, durationMs: 350, offsetMs: 800 },
    ]);
    expect(answers.tools).toMatchObject([{ delayMs: 400, result: { successful: true, content: 'ok' } }]);
  });

  it('is read up to an incomplete last line, left by a process that crashed', () => {
    const { call, text } = recordCall();
    expect(parseTape(text.slice(0, -30)).entries).toHaveLength(call.tape.length - 1);
  });

  it.each([
    ['', 1],
    ['{}\n', 1],
    ['{"tape":3}\n', 1],
    ['{"tape":4}\n', 1],
    ['not json\n', 1],
  ])('is rejected with an invalid header: %j', (text, line) => {
    expect(() => parseTape(text)).toThrow(TapeFault);
    expect(() => parseTape(text)).toThrow(`line ${line}`);
  });

  it('is rejected with a missing, malformed or invalid entry', () => {
    const tapeLines = recordCall().text.split('\n');
    const withLineReplaced = (index: number, ...instead: string[]) =>
      tapeLines.toSpliced(index, 1, ...instead).join('\n');
    expect(() => parseTape(withLineReplaced(3))).toThrow('expected entry 2, found 3');
    expect(() => parseTape(withLineReplaced(3, '{"seq":'))).toThrow('line 4: invalid JSON');
    expect(() => parseTape(withLineReplaced(3, '{"seq":2,"atUs":0,"event":"x","commands":[]}'))).toThrow('line 4');
  });
});
