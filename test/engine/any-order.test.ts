import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginCall, type CallState, hasEnded, stepCall } from '../../engine/call/call-core.ts';
import type { CallFacts } from '../../engine/call/call-facts.ts';
import type { CallCommand } from '../../engine/call/command.ts';
import { type CompiledAgent, compileAgent } from '../../engine/call/compile-agent.ts';
import type { CallEvent } from '../../engine/call/event.ts';
import { exactReplay } from '../../engine/tape/exact-replay.ts';
import { agentOf, FACTS, Simulation } from './simulate.ts';
import { refusals } from './strict-provider.ts';

const RUNS = 1_000;

const AGENT = agentOf({
  initial_message: 'Hello there. How can I help you?',
  presence_check_phrases: ['Are you there?'],
  variables: [{ name: 'name' }, { name: 'size', type: 'integer' }],
  fallbacks: {
    llm: [{ provider: 'test', model: 'second' }],
    voice: [{ provider: 'test', name: 'second' }],
    transcriber: [{ provider: 'test' }],
  },
  states: [
    {
      name: 'start',
      tools: [
        {
          type: 'custom_function',
          name: 'lookup',
          url: 'https://example.com',
          parameters: [{ name: 'day' }],
          filler_sentence: 'One moment.',
        },
        { type: 'hang_up', name: 'bye', filler_sentence: 'Goodbye then.' },
        { type: 'wait', name: 'wait' },
        { type: 'send_dtmf', name: 'keys' },
        { type: 'transfer_call', name: 'transfer', destination: '+4930111111' },
        { type: 'leave_voicemail_message', name: 'message', filler_sentence: 'Please call us back.' },
      ],
      transitions: [{ condition: 'go', destination_state_name: 'next', filler_sentence: 'Right.' }],
    },
    { name: 'next', transitions: [{ condition: 'back', destination_state_name: 'start' }] },
  ],
});
const COMPILED = compileAgent(AGENT);
const HANDS_OVER = agentOf({ ...AGENT, on_provider_failure: { action: 'transfer', destination: '+4930999999' } });
const COMPILED_HANDING_OVER = compileAgent(HANDS_OVER);

/** A happening with numbers that are made into an event that fits the call, or now and then does not. */
const happening = fc.record({
  kind: fc.constantFrom(
    'speech',
    'stop',
    'interim',
    'final',
    'endOfTurn',
    'token',
    'sentence',
    'call',
    'done',
    'failed',
    'voiceStarted',
    'voiceDone',
    'voiceFailed',
    'segmentStarted',
    'segmentEnded',
    'cleared',
    'paused',
    'toolDone',
    'timer',
    'timer',
    'dtmf',
    'beep',
    'sit',
    'transcriberFailed',
    'transcriberReady',
    'held',
    'resumed',
    'transferFailed',
    'transferred',
    'extracted',
    'say',
    'terminate',
    'hangUp',
  ),
  pick: fc.nat(9),
  waitMs: fc.nat(3_000),
});
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const TEXTS = ['Yes.', 'mhm', 'I want a table for four', 'Stop', 'no wait', 'bye', '', 'and', '12'];
/** Of those who answer our calls. */
const MACHINE_TEXTS = [
  'Leave a message after the tone.',
  'You have reached my voicemail',
  'For sales, press 1.',
  'Please say your name and why you are calling.',
  'Please hold.',
  'The number is not in service.',
];
const CALLS = ['lookup', 'bye', 'wait', 'keys', 'transfer', 'go_to_next', 'message', 'no such', 'lookup', 'keys'];
/** Our own calls are listened to for machines; the others are not. */
const DIRECTIONS = { inbound: FACTS, outbound: { ...FACTS, direction: 'outbound' } } as const;
const direction = fc.constantFrom('inbound', 'outbound');
const ERROR = { provider: 'test', code: 'unavailable', message: 'no', retryable: true } as const;

/** The driver knows what the shell knows: what was asked and not yet answered. */
class Driver {
  state: CallState;
  private readonly compiled: CompiledAgent;
  readonly commands: CallCommand[] = [];
  readonly timers = new Set<string>();
  faults: unknown[] = [];
  generation = 0;
  segment = 0;
  utterance = 0;
  extraction = 0;
  atUs = 0;
  private seq = 0;
  private readonly runs: string[] = [];
  private readonly texts: readonly string[];

  constructor(compiled: CompiledAgent, facts: CallFacts) {
    this.compiled = compiled;
    this.state = beginCall(compiled, facts);
    this.texts = facts.direction === 'outbound' ? [...TEXTS.slice(0, 4), ...MACHINE_TEXTS] : TEXTS;
  }

  post(event: CallEvent, waitMs = 0): void {
    this.atUs += waitMs * 1000;
    const { state, commands, fault } = stepCall(this.compiled, this.state, { seq: this.seq++, atUs: this.atUs, event });
    this.state = state;
    if (fault !== undefined) this.faults.push(fault);
    for (const command of commands) this.take(command);
  }

  get transferring(): readonly string[] {
    const after = this.state.snapshot?.context.reply?.after;
    return after?.type === 'transfer' ? [after.toolCallId] : [];
  }

  happen({ kind, pick, waitMs }: Happening): void {
    const event = this.eventOf(kind, pick);
    if (event !== null) this.post(event, waitMs);
  }

  private take(command: CallCommand): void {
    this.commands.push(command);
    if (command.type === 'model.request') this.generation = command.generation;
    if (command.type === 'voice.speak') [this.segment, this.utterance] = [command.segment, command.utterance];
    if (command.type === 'extraction.request') this.extraction = command.extraction;
    if (command.type === 'tool.run') this.runs.push(command.toolCallId);
    if (command.type === 'timer.start') this.timers.add(command.timer);
    if (command.type === 'timer.stop') this.timers.delete(command.timer);
    if (command.type === 'call.close') this.timers.clear();
  }

  private eventOf(kind: Happening['kind'], pick: number): CallEvent | null {
    const audioMs = this.atUs / 1000;
    const text = this.texts[pick] ?? 'fine';
    const generation = pick === 9 ? this.generation - 1 : this.generation;
    const segment = Math.max(1, this.segment - (pick % 3));
    switch (kind) {
      case 'speech':
        return { type: 'media.speech_started', audioMs };
      case 'stop':
        return { type: 'media.speech_stopped', audioMs };
      case 'interim':
        return { type: 'transcriber.interim', text, startMs: audioMs - 300, endMs: audioMs };
      case 'final':
      case 'endOfTurn':
        return {
          type: 'transcriber.final',
          text,
          words: [],
          startMs: audioMs - 300,
          endMs: audioMs,
          endOfTurn: kind === 'endOfTurn',
        };
      case 'token':
        return { type: 'model.first_token', generation };
      case 'sentence':
        return { type: 'model.sentence', generation, text: `${text} sentence.` };
      case 'call':
        return {
          type: 'model.tool_call',
          generation,
          call: {
            id: `id${pick % 3}`,
            name: CALLS[pick] ?? '',
            arguments: pick === 8 ? '{"day' : '{"day":"x","digits":"1"}',
          },
        };
      case 'done':
        return { type: 'model.done', generation, finish: 'stop' };
      case 'failed':
        return { type: 'model.failed', generation, error: { ...ERROR, retryable: pick < 8 } };
      case 'voiceStarted':
        return { type: 'voice.started', segment };
      case 'voiceDone':
        return { type: 'voice.done', segment, durationMs: pick * 300 };
      case 'voiceFailed':
        return pick < 6
          ? { type: 'voice.failed', segment, durationMs: pick * 200, error: { ...ERROR, retryable: pick % 2 === 0 } }
          : null;
      case 'segmentStarted':
      case 'segmentEnded':
        return {
          type: kind === 'segmentStarted' ? 'media.segment_started' : 'media.segment_ended',
          utterance: this.utterance,
          segment,
          playedMs: pick * 200,
        };
      case 'cleared':
      case 'paused':
        return {
          type: kind === 'cleared' ? 'media.cleared' : 'media.paused',
          utterance: this.utterance,
          playedMs: pick * 200,
        };
      case 'toolDone': {
        const toolCallId = this.runs[pick % Math.max(1, this.runs.length)];
        return toolCallId === undefined
          ? null
          : { type: 'tool.result', toolCallId, result: { successful: true, content: 'ok', mapped: [] } };
      }
      case 'timer': {
        const timer = [...this.timers][pick % Math.max(1, this.timers.size)];
        if (timer === undefined) return null;
        this.timers.delete(timer);
        return { type: 'timer', timer };
      }
      case 'dtmf':
        return { type: 'media.dtmf', digit: pick === 0 ? '#' : String(pick), durationMs: 100 };
      case 'beep':
      case 'sit':
        return { type: 'media.tone', kind, frequencyHz: 1_000, startMs: audioMs - 700, endMs: audioMs - 200 };
      case 'transcriberFailed':
        return pick < 6 ? { type: 'transcriber.failed', error: { ...ERROR, retryable: pick > 0 } } : null;
      case 'transcriberReady':
        return { type: 'transcriber.ready' };
      case 'held':
        return { type: 'control.held' };
      case 'resumed':
        return { type: 'control.resumed' };
      case 'transferFailed':
        return { type: 'control.transfer_failed', reason: 'busy', refused: pick < 5 };
      case 'transferred':
        return pick === 0 ? { type: 'control.transfer_succeeded' } : null;
      case 'extracted':
        return { type: 'extraction.done', extraction: this.extraction, answer: { name: text, size: String(pick) } };
      case 'say':
        return { type: 'call.say', text: 'By the way.', interrupt: pick < 5 };
      case 'terminate':
        return pick === 0 ? { type: 'call.terminate', reason: 'terminated' } : null;
      case 'hangUp':
        return pick === 0 ? { type: 'control.ended', cause: 'remote_bye' } : null;
    }
  }
}

function expectInvariants(driver: Driver): void {
  const { commands } = driver;
  expect(driver.faults).toEqual([]);
  const of = <T extends CallCommand['type']>(type: T) =>
    commands.filter((command): command is Extract<CallCommand, { readonly type: T }> => command.type === type);
  for (const { request } of of('model.request')) expect(refusals(request)).toEqual([]);
  const results = of('journal.write').flatMap(({ entry }) => (entry.type === 'tool_called' ? [entry.toolCallId] : []));
  expect(new Set(results).size).toBe(results.length);
  const calls = of('journal.write').flatMap(({ entry }) =>
    entry.type === 'transcript' && entry.entry.role === 'tool_call' ? [entry.entry.toolCallId] : [],
  );
  expect(new Set(calls).size).toBe(calls.length);
  const waited = [
    ...(driver.state.snapshot?.context.tools ?? []).map(({ toolCallId }) => toolCallId),
    ...driver.transferring,
  ];
  // A call that runs no more has its one result, whatever became of the turn that asked.
  expect(calls.filter((id) => !results.includes(id) && !waited.includes(id))).toEqual([]);
  const ran = of('tool.run').map(({ toolCallId }) => toolCallId);
  expect(new Set(ran).size).toBe(ran.length);
  const ends = of('journal.write').filter(({ entry }) => entry.type === 'ended');
  expect(ends.length).toBe(hasEnded(driver.state) ? 1 : 0);
  const over = commands.findIndex(({ type }) => type === 'call.hang_up');
  expect(
    commands
      .slice(over < 0 ? commands.length : over)
      .filter(({ type }) => type === 'voice.speak' || type === 'model.request'),
  ).toEqual([]);
  for (const { entry } of of('journal.write')) {
    if (entry.type !== 'turn_metrics') continue;
    const figures = Object.values(entry.metrics).filter((figure) => figure !== null);
    expect(figures.filter((figure) => !(figure >= 0 && Number.isFinite(figure)))).toEqual([]);
  }
  if (hasEnded(driver.state)) expect(commands.at(-1)).toEqual({ type: 'call.close' });
  expect(() => structuredClone(driver.state.snapshot?.context)).not.toThrow();
}

describe('events in any order', () => {
  it('end a call once, say nothing after it, and keep the history valid', () => {
    fc.assert(
      fc.property(
        direction,
        fc.array(happening, { minLength: 5, maxLength: 80 }),
        fc.boolean(),
        (placed, happenings, handsOver) => {
          const driver = new Driver(handsOver ? COMPILED_HANDING_OVER : COMPILED, DIRECTIONS[placed]);
          driver.post({ type: 'call.offered' });
          driver.post({ type: 'control.answered' }, 10);
          for (const one of happenings) driver.happen(one);
          expectInvariants(driver);
          driver.post({ type: 'control.ended', cause: 'remote_bye' }, 10);
          driver.post({ type: 'timer', timer: 'ending' }, 3_000);
          expectInvariants(driver);
          expect(hasEnded(driver.state)).toBe(true);
        },
      ),
      { numRuns: RUNS },
    );
  }, 60_000);
});

const says = fc.record({
  after: fc.constantFrom(0.05, 0.3, 2),
  text: fc.constantFrom('Yes.', 'Let me see. That should be possible on Monday.', 'No.'),
  calls: fc.array(
    fc.record({
      name: fc.constantFrom(...CALLS),
      arguments: fc.constantFrom('{"day":"x","digits":"1"}', '{'),
    }),
    { maxLength: 2 },
  ),
});
const failure = fc.record({ after: fc.constant(0.2), fails: fc.record({ retryable: fc.boolean() }) });
const speech = fc.record({
  gap: fc.integer({ min: 1, max: 40 }),
  length: fc.integer({ min: 1, max: 20 }),
  text: fc.constantFrom(...TEXTS.filter((text) => text !== ''), ...MACHINE_TEXTS),
  endOfTurn: fc.boolean(),
});

/** Of calls that nobody hangs up. */
const ENDS = [
  'silence',
  'llm_error',
  'transcriber_error',
  'voice_error',
  'agent_hangup',
  'transferred',
  'voicemail_left',
];

/** What befalls a call, at a tenth of a second; a hold lasts for `length` seconds. */
const mishap = fc.record({
  what: fc.constantFrom('deaf', 'deafForGood', 'hold', 'keys', 'say', 'beep'),
  at: fc.integer({ min: 1, max: 300 }),
  length: fc.integer({ min: 1, max: 40 }),
});
type Mishap = typeof mishap extends fc.Arbitrary<infer T> ? T : never;

function befall(call: Simulation, { what, at, length }: Mishap): void {
  const from = at / 10;
  switch (what) {
    case 'deaf':
      call.at(from, () => call.hear({ type: 'failed', error: ERROR }));
      break;
    case 'deafForGood':
      for (const later of [0, 0.2]) {
        call.at(from + later, () => call.hear({ type: 'failed', error: { ...ERROR, retryable: false } }));
      }
      break;
    case 'hold':
      call.at(from, () => call.leg({ type: 'held' })).at(from + length, () => call.leg({ type: 'resumed' }));
      break;
    case 'keys':
      for (const digit of ['1', '#']) call.at(from, () => call.media.tell({ type: 'dtmf', digit, durationMs: 100 }));
      break;
    case 'beep':
      call.at(from, () => call.beep(from - 0.7, from - 0.2));
      break;
    case 'say':
      call.at(from, () => call.call.post({ type: 'call.say', text: 'By the way.', interrupt: length > 20 }));
      break;
  }
}

/** What is being said, a transfer and the apology take no longer than this, in s. */
const DEAF_MAX = 15;

function expectGoodEnd(call: Simulation, heldSeconds: number): void {
  expect(call.entries('ended')).toHaveLength(1);
  const endedUs = call.entries('ended')[0]?.atUs ?? 0;
  const failed = call.tape.findLast(({ event }) => event.type === 'transcriber.failed');
  if (call.endedWith === 'transcriber_error') {
    expect(endedUs).toBeLessThan((failed?.atUs ?? 0) + (DEAF_MAX + heldSeconds) * 1e6);
  }
  const ids = (role: 'tool_call' | 'tool_response') =>
    call.transcript.flatMap((entry) => (entry.role === role && 'toolCallId' in entry ? [entry.toolCallId] : []));
  expect(ids('tool_response').toSorted()).toEqual(ids('tool_call').toSorted());
  const results = call.entries('tool_called').map(({ toolCallId }) => toolCallId);
  expect(results.toSorted()).toEqual(ids('tool_call').toSorted());
  const over = call.commands.findIndex(({ type }) => type === 'call.hang_up');
  const after = call.commands.slice(over + 1).map(({ type }) => type);
  for (const type of ['voice.speak', 'model.request', 'tool.run', 'call.transfer']) expect(after).not.toContain(type);
  expect(Math.max(0, ...call.heard.map(({ toMs }) => toMs * 1000))).toBeLessThanOrEqual(endedUs);
}

describe('conversations of any course', () => {
  it('come to their end by themselves, replay exactly, leave no timer, and are never speaking without packets', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 9, arbitrary: says }, { weight: 1, arbitrary: failure }), { maxLength: 6 }),
        fc.array(speech, { maxLength: 8 }),
        fc.array(mishap, { maxLength: 3 }),
        fc.record({
          transferred: fc.boolean(),
          lookupSeconds: fc.constantFrom(0.7, 25),
          lost: fc.boolean(),
          handsOver: fc.boolean(),
          breaks: fc.array(fc.record({ nth: fc.nat(6), afterMs: fc.nat(15).map((n) => n * 100), lost: fc.boolean() }), {
            maxLength: 3,
          }),
          placed: direction,
        }),
        (model, speeches, mishaps, { transferred, lookupSeconds, lost, handsOver, breaks, placed }) => {
          const agent = handsOver ? HANDS_OVER : AGENT;
          const call = new Simulation({
            agent,
            facts: DIRECTIONS[placed],
            model,
            tools: { lookup: { after: lookupSeconds, result: {} } },
            transfer: { after: 3, succeeds: transferred },
            voice: lost ? { fails: 'once' } : { breaks },
          });
          if (placed === 'outbound') call.at(0, () => call.leg({ type: 'answered' }));
          for (const one of mishaps) befall(call, one);
          let at = 0;
          for (const { gap, length, text, endOfTurn } of speeches) {
            const from = at + gap / 10;
            at = from + length / 10;
            call.callerSpeaks(from, at, text, { endOfTurn });
          }
          for (let second = 0.5; second < at + 20; second += 0.5) {
            call.at(second, () => expectPackets(call, second * 1000));
          }
          // Left alone, the agent asks whether anybody is there, and hangs up.
          call.run(at + 400);
          const heldSeconds = mishaps.reduce((sum, { what, length }) => sum + (what === 'hold' ? length : 0), 0);
          expectGoodEnd(call, heldSeconds);
          expect(ENDS).toContain(call.endedWith);
          expect(call.clock.pending).toBe(0);
          expect(call.media.misused).toBe(0);
          for (const request of call.requests) expect(refusals(request)).toEqual([]);
          expect(call.logs.filter((line) => line.startsWith('error'))).toEqual([]);
          const replay = exactReplay(
            agent,
            { tape: 1, facts: call.facts, format: call.media.format },
            JSON.parse(JSON.stringify(call.tape)),
          );
          expect(replay).toEqual({ ok: true, entries: call.tape.length });
        },
      ),
      { numRuns: 150 },
    );
  }, 60_000);
});

/** «Speaking» is said only while packets leave. */
function expectPackets(call: Simulation, nowMs: number): void {
  if (call.call.view().floor !== 'speaking' || call.media.isHeld) return;
  expect(call.media.isPlaying || call.heard.some(({ toMs }) => toMs > nowMs - 1_000)).toBe(true);
}
