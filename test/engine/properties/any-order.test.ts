import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallCommand } from '../../../engine/core/command.ts';
import { hasEnded } from '../../../engine/session/step-call.ts';
import { COMPILED, COMPILED_HANDING_OVER, DIRECTIONS, direction } from './any-agent.ts';
import { Driver } from './any-driver.ts';
import { happening } from './any-event.ts';
import { unboundedTurn } from './bounded-agent-state.ts';
import { PROPERTY_TIMEOUT_MS, runs } from './runs.ts';
import { refusals } from './strict-provider.ts';

/** An extraction may still be asked for: it is about what was said. */
const NOT_AFTER_THE_END: ReadonlySet<CallCommand['type']> = new Set([
  'voice.speak',
  'voice.open',
  'model.request',
  'summary.request',
  'tool.run',
  'transcriber.open',
  'call.transfer',
  'playout.dtmf',
]);

/** All that a transcriber can be: only those that end turns by themselves are asked to be surer of them. */
const traits = fc.record({ detectsTurns: fc.boolean(), configurable: fc.boolean(), finalP99Ms: fc.constant(400) });
/** What is known of the providers makes their deadlines others than those of a test beside this. */
const PACES = {
  modelLatencies: [{ provider: 'test', model: 'model', firstTokenP99Ms: 600 }],
  voiceFirstAudioP99Ms: [200],
};

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
    ...(driver.state.snapshot?.context.runningTools ?? []).map(({ toolCallId }) => toolCallId),
    ...driver.transferring,
  ];
  // A call that runs no more has its one result, whatever became of the turn that asked.
  expect(calls.filter((id) => !results.includes(id) && !waited.includes(id))).toEqual([]);
  const ran = of('tool.run').map(({ toolCallId }) => toolCallId);
  expect(new Set(ran).size).toBe(ran.length);
  const ends = of('journal.write').filter(({ entry }) => entry.type === 'ended');
  expect(ends.length).toBe(hasEnded(driver.state) ? 1 : 0);
  const over = commands.findIndex(({ type }) => type === 'call.hang_up');
  expect(commands.slice(over < 0 ? commands.length : over).filter(({ type }) => NOT_AFTER_THE_END.has(type))).toEqual(
    [],
  );
  for (const { entry } of of('journal.write')) {
    if (entry.type !== 'turn_metrics') continue;
    const figures = Object.values(entry.metrics).filter((figure) => figure !== null);
    expect(figures.filter((figure) => !(figure >= 0 && Number.isFinite(figure)))).toEqual([]);
  }
  if (hasEnded(driver.state)) expect(commands.at(-1)).toEqual({ type: 'call.close' });
  expect(() => structuredClone(driver.state.snapshot?.context)).not.toThrow();
}

describe('events in any order', () => {
  it(
    'end a call once, say nothing after it, keep the history valid, and never leave a silence without a bound',
    () => {
      fc.assert(
        fc.property(
          direction,
          fc.array(happening, { minLength: 5, maxLength: 80, size: 'max' }),
          fc.boolean(),
          traits,
          fc.constantFrom({}, PACES),
          (placed, happenings, handsOver, transcriberTraits, paces) => {
            const parameters = { ...DIRECTIONS[placed], transcriberTraits, ...paces };
            const driver = new Driver(handsOver ? COMPILED_HANDING_OVER : COMPILED, parameters);
            driver.post({ type: 'call.offered' });
            driver.post({ type: 'control.answered' }, 10);
            for (const one of happenings) {
              driver.happen(one);
              expect(unboundedTurn(driver)).toEqual([]);
            }
            expectInvariants(driver);
            const isAsked = driver.commands.some(({ type }) => type === 'transcriber.configure');
            expect(isAsked && !transcriberTraits.configurable).toBe(false);
            driver.post({ type: 'control.ended', cause: 'remote_bye' }, 10);
            driver.post({ type: 'timer', timer: 'call_end' }, 3_000);
            expectInvariants(driver);
            expect(hasEnded(driver.state)).toBe(true);
          },
        ),
        { numRuns: runs(400) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});
