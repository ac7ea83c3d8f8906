import { describe, expect, it } from 'vitest';
import type { InboxRecord } from '../../../engine/core/event.ts';
import type { TurnRecord, UserTurnRecord } from '../../../engine/ports/turn-record.ts';
import type { CallSpan } from '../../../engine/timeline/call-span.ts';
import { silenceText } from '../../../engine/timeline/silence-text.ts';
import { silencesOf } from '../../../engine/timeline/silences.ts';
import { tapeInput } from '../../../engine/timeline/tape-input.ts';
import type { TimelineInput } from '../../../engine/timeline/timeline-input.ts';
import { Simulation } from '../simulation/simulation.ts';
import { type Draw, type PlantedCause, voiceActivity } from './planted-call.ts';
import { PLANTED_CAUSES } from './planted-causes.ts';
import { PLANTED_FAILURES } from './planted-failures.ts';
import { PLANTED_WAITS } from './planted-waits.ts';

const SEEDS = [1, 2, 3];
const CALL_END_S = 40;
/** Share of the planted causes that is found: 38 of 40. */
const RIGHT_MIN = 0.95;

/** The generator splitmix32. */
function drawOf(seed: number): Draw {
  let state = seed;
  return (least, most) => {
    state = (state + 0x9e3779b9) | 0;
    const first = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    const second = Math.imul(first ^ (first >>> 15), 0x735a2d97);
    const share = ((second ^ (second >>> 15)) >>> 0) / 2 ** 32;
    // The times of a call are whole ms.
    return Math.round((least + share * (most - least)) * 1000) / 1000;
  };
}

function explained({ cause, name, plant }: PlantedCause, seed: number) {
  const { atS, call, lostShare = null } = plant(drawOf(seed * 1_000 + name.length));
  call.hangUpAt(CALL_END_S).runUntil(CALL_END_S + 1);
  const silences = silencesOf(withLoss(tapeInput(call.tape), lostShare));
  const silence = silences.find(({ fromUs, toUs }) => fromUs <= atS * 1e6 && toUs >= atS * 1e6);
  const found = silence?.parts[0]?.cause.type;
  const all = silence === undefined ? `none: ${silences.map(silenceText).join(' | ')}` : silenceText(silence);
  return {
    name,
    isRight: found === cause,
    text: `${found === cause ? 'right' : 'WRONG'}  ${name} (${seed}): ${cause}; ${all}`,
  };
}

/** The tape of a call holds no loss: the samples of a network that loses this share. */
function withLoss(input: TimelineInput, lostShare: number | null): TimelineInput {
  if (lostShare === null) return input;
  const direction = { packets: 1_000 * (1 - lostShare), lost: 1_000 * lostShare, jitterMs: 3, mos: 2 };
  const network: CallSpan = {
    type: 'network',
    fromUs: 0,
    toUs: CALL_END_S * 1e6,
    inbound: direction,
    outbound: direction,
    roundTripMs: null,
  };
  return { ...input, spans: [...input.spans, network] };
}

it('names the planted cause of a silence in at least 38 of 40 calls', () => {
  const all = [...PLANTED_CAUSES, ...PLANTED_FAILURES, ...PLANTED_WAITS];
  const calls = all.flatMap((planted) => SEEDS.map((seed) => explained(planted, seed)));
  const table = calls.map(({ text }) => text).join('\n');
  const right = calls.filter(({ isRight }) => isRight).length;
  expect(all.length).toBeGreaterThanOrEqual(40);
  expect(right / calls.length, table).toBeGreaterThanOrEqual(RIGHT_MIN);
  // None of the causes is unknown to it.
  const missed = calls.filter(({ isRight }) => !isRight).map(({ name }) => name);
  expect(all.filter((planted) => missed.filter((name) => name === planted.name).length > 1)).toEqual([]);
});

function silencesIn(call: Simulation, endS = 20) {
  call.hangUpAt(endS).runUntil(endS + 1);
  return silencesOf(tapeInput(call.tape));
}

/** A turn with words, entry 1, that a pause ended. */
function turnWith(changed: Partial<TurnRecord>, user: Partial<UserTurnRecord>): TurnRecord {
  return {
    turn: 1,
    startUs: 0,
    utterance: 1,
    askedMs: [],
    firstTokenMs: null,
    voiceRequestedMs: null,
    firstAudioMs: null,
    heardMs: null,
    answerHeardMs: null,
    fillersMs: [],
    tools: [],
    interrupted: false,
    falseInterruptions: 0,
    ducked: 0,
    echoWords: 0,
    ...changed,
    user: {
      sequence: 1,
      endedBy: 'pause',
      score: 1,
      reasons: ['sentence_mark'],
      endedMs: 200,
      committedMs: 200,
      reopened: 0,
      amended: 0,
      corrected: false,
      ...user,
    },
  };
}

describe('the text of a silence', () => {
  const said = { sequence: 1, role: 'user', startUs: 0, endUs: 1e6, content: 'Hello?' } as const;
  const answered = { type: 'answered', fromUs: 0, toUs: 0 } as const;

  it('says which part of the silence the model took, apart from the time of its first token', () => {
    const model = {
      type: 'model',
      outcome: 'answered',
      error: null,
      firstTokenUs: 5.65e6,
      firstTextUs: 5.65e6,
    } as const;
    const spans: CallSpan[] = [
      answered,
      { ...model, fromUs: 1.41e6, toUs: 5.7e6 },
      { type: 'agent_speech', fromUs: 4.06e6, toUs: 5e6 },
    ];
    const turn = turnWith({ startUs: 1e6, fillersMs: [3_060] }, { endedMs: 410 });
    const [silence] = silencesOf({ spans, turns: [turn], transcript: [said], endedUs: 5e6 });
    const text = silence === undefined ? '' : silenceText(silence);
    expect(text).toBe(
      '3.06 s from the user to the agent: 2.65 s of 3.06 s: the model was slow (first token after 4.24 s; ' +
        'a filler was spoken during the wait); 410 ms of 3.06 s: the end of speech was certain after 410 ms',
    );
  });

  it('counts the requests of a turn, and blames no model that is as fast as usual', () => {
    const model = { type: 'model', outcome: 'answered', error: null } as const;
    const spans: CallSpan[] = [
      answered,
      { ...model, fromUs: 1e6, toUs: 1.3e6, firstTokenUs: 1.26e6, firstTextUs: 1.26e6 },
      { ...model, fromUs: 1.3e6, toUs: 2.1e6, firstTokenUs: 1.587e6, firstTextUs: 1.587e6 },
      { type: 'agent_speech', fromUs: 2.1e6, toUs: 5e6 },
    ];
    const [silence] = silencesOf({ spans, turns: [], transcript: [said], endedUs: 5e6 });
    expect(silence?.parts).toMatchObject([
      { cause: { type: 'model_slow', requests: 2, firstTokenMs: 287 }, ms: 1_100 },
    ]);
    expect(silence === undefined ? '' : silenceText(silence)).toBe(
      '1.10 s from the user to the agent: the model (2 requests, the slowest: first token after 287 ms)',
    );
  });

  it.each([
    ['asked again', [{ after: 2, failsWith: { retryable: true } }]],
    ['not asked again', [{ after: 2, failsWith: { retryable: false } }]],
    ['not asked again', Array.from({ length: 12 }, () => ({ after: 0.4, failsWith: { retryable: true } }))],
  ])('says what followed the last failure of its turn: %s', (text, model) => {
    const call = new Simulation({ agent: {}, model }).userSpeaks(0.5, 1.5, 'Is there a table?');
    // The next turn asks the model too.
    const NEXT_TURN_S = 14;
    call.userSpeaks(NEXT_TURN_S, NEXT_TURN_S + 1, 'Are you still there?');
    const silence = silencesIn(call, 30).findLast(({ toUs }) => toUs < NEXT_TURN_S * 1e6);
    expect(silence === undefined ? '' : silenceText(silence)).toMatch(new RegExp(`the model failed.*; ${text}`));
  });

  it.each([...PLANTED_CAUSES, ...PLANTED_FAILURES, ...PLANTED_WAITS])(
    'has no part that is longer than the whole: $name',
    ({ name, plant }) => {
      const { call } = plant(drawOf(name.length));
      call.hangUpAt(CALL_END_S).runUntil(CALL_END_S + 1);
      for (const silence of silencesOf(tapeInput(call.tape))) {
        const wholeMs = (silence.toUs - silence.fromUs) / 1_000;
        const partsMs = silence.parts.reduce((sum, { ms }) => sum + ms, 0);
        expect(partsMs, silenceText(silence)).toBeLessThanOrEqual(wholeMs + silence.parts.length);
      }
    },
  );
});

describe('a silence', () => {
  const question = { from: 0.5, to: 1.5, text: 'Is there a table?' } as const;
  const ask = (call: Simulation) => call.userSpeaks(question.from, question.to, question.text);

  it('has its causes in the order of their parts', () => {
    const [silence] = silencesIn(
      ask(new Simulation({ agent: {}, model: [{ after: 2, text: 'Yes.' }], voice: { after: 1 } })),
    );
    expect(silence).toMatchObject({
      fromUs: 1_500_000,
      toUs: 4_700_000,
      after: 'user',
      before: 'agent',
      parts: [
        { cause: { type: 'model_slow', firstTokenMs: 2_000, firstTextMs: 2_000 }, ms: 2_000, share: 0.63 },
        { cause: { type: 'voice_slow', firstAudioMs: 1_000 }, ms: 1_000, share: 0.31 },
      ],
    });
  });

  it('of a second or less is not reported', () => {
    expect(silencesIn(ask(new Simulation({ agent: { initial_message: 'Hi.' } })))).toEqual([]);
  });

  it('is not reported while the user thinks about the words of the agent', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello.' } }).userSpeaks(6, 7, question.text);
    expect(silencesIn(call)).toEqual([]);
  });

  it('counts if the user spoke again because no answer came', () => {
    const scenario = { agent: {}, model: [{ after: 6, text: 'Never heard.' }, { text: 'Yes.' }] };
    const [silence] = silencesIn(ask(new Simulation(scenario)).userSpeaks(3.5, 4.5, 'Hello, is there anybody?'));
    expect(silence).toMatchObject({ before: 'user', parts: [{ cause: { type: 'model_slow', firstTokenMs: null } }] });
  });

  it('counts if the call ended before the answer', () => {
    const [silence] = silencesIn(ask(new Simulation({ agent: {}, model: [{ after: 9, text: 'Yes.' }] })), 4);
    expect(silence).toMatchObject({ toUs: 4_000_000, before: 'end', parts: [{ cause: { type: 'model_slow' } }] });
  });

  it('is not reported while the user pauses within a sentence and goes on', () => {
    const call = ask(new Simulation({ agent: {} })).userSpeaks(2.4, 3, 'I would like a table for');
    expect(silencesIn(call.userSpeaks(4.4, 5, 'four people.'))).toEqual([]);
  });

  it('names the late end of speech if the words lasted longer than the voice', () => {
    const VOICE_END_S = 1.6;
    const WORDS_END_S = 3.2;
    const call = new Simulation({ agent: {} });
    voiceActivity(call, 1, VOICE_END_S);
    call.at(WORDS_END_S + 0.2, () => call.emitFinal(1, WORDS_END_S, 'Yes please.'));
    const [silence] = silencesIn(call);
    expect(silence).toMatchObject({ fromUs: VOICE_END_S * 1e6, after: 'user', before: 'agent' });
    expect(silence?.parts[0]).toMatchObject({ cause: { type: 'speech_end_late', lateMs: 1_600 }, ms: 1_600 });
    expect(silence?.parts.map(({ cause }) => cause.type)).not.toContain('unknown');
  });

  it('is unexplained if the recorded waits cover less than half of it', () => {
    const said = { sequence: 1, role: 'user', startUs: 0, endUs: 1e6, content: 'Hello?' } as const;
    const spans: CallSpan[] = [
      { type: 'answered', fromUs: 0, toUs: 0 },
      { type: 'voice', outcome: 'answered', error: null, fromUs: 3.5e6, toUs: 4e6 },
      { type: 'agent_speech', fromUs: 4e6, toUs: 5e6 },
    ];
    const [silence] = silencesOf({ spans, turns: [], transcript: [said], endedUs: 5e6 });
    expect(silence?.parts.map(({ cause, share }) => [cause.type, share])).toEqual([
      ['unknown', 0.83],
      ['voice_slow', 0.17],
    ]);
  });

  it('before the first word is a wait of the agent', () => {
    const agent = { initial_message: 'Hello.', initial_message_delay: 3 };
    expect(silencesIn(new Simulation({ agent }))).toMatchObject([
      { after: 'start', parts: [{ cause: { type: 'agent_waits' } }] },
    ]);
  });

  it('names the lateness of a busy service', () => {
    const call = ask(new Simulation({ agent: {} }));
    call.hangUpAt(20).runUntil(21);
    const endpoint = call.tape.findIndex(({ commands }) => commands.some(({ type }) => type === 'model.request'));
    const LATE_US = 3_000_000;
    const timer = { type: 'timer.start', timer: 'generation', delayMs: 10 } as const;
    const records = call.tape.flatMap((record, index): InboxRecord[] => {
      if (index < endpoint) return [record];
      if (index > endpoint) return [{ ...record, atUs: record.atUs + LATE_US }];
      const fired: InboxRecord = {
        seq: record.seq,
        atUs: record.atUs + LATE_US,
        event: { type: 'timer', timer: 'generation' },
        commands: [],
      };
      return [{ ...record, commands: [...record.commands, timer] }, fired];
    });
    expect(silencesOf(tapeInput(records))[0]?.parts[0]).toMatchObject({ cause: { type: 'overload', lateMs: 2_990 } });
  });
});
