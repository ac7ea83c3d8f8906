import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallCommand } from '../../../engine/core/command.ts';
import { turnTimes } from '../../../engine/metrics/turn-times.ts';
import { hasEnded } from '../../../engine/session/process-inbox-entry.ts';
import { CallDriver } from './call-driver.ts';
import { anyDirection, COMPILED, COMPILED_WITH_FAILURE_TRANSFER, DIRECTIONS } from './property-agent.ts';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from './property-runs.ts';
import { anyAction } from './random-event.ts';
import { rejectionReasons } from './strict-provider.ts';
import { boundViolations } from './turn-state-bounds.ts';

/** Commands that must not follow the end. Extraction may: it reads the words before the end. */
const FORBIDDEN_AFTER_HANG_UP: ReadonlySet<CallCommand['type']> = new Set([
  'voice.speak',
  'voice.open',
  'model.request',
  'summary.request',
  'tool.run',
  'transcriber.open',
  'call.transfer',
  'playout.dtmf',
]);

/** All combinations of transcriber traits. */
const anyTraits = fc.record({ detectsTurns: fc.boolean(), configurable: fc.boolean(), finalP99Ms: fc.constant(400) });
/** Known latencies of the providers, which change their timeouts. */
const LATENCIES = {
  modelLatencies: [{ provider: 'test', model: 'model', firstTokenP99Ms: 600 }],
  voiceFirstAudioP99Ms: [200],
};

function expectInvariants(driver: CallDriver): void {
  const { commands } = driver;
  expect(driver.errors).toEqual([]);
  const commandsOf = <T extends CallCommand['type']>(type: T) =>
    commands.filter((command): command is Extract<CallCommand, { readonly type: T }> => command.type === type);
  for (const { request } of commandsOf('model.request')) expect(rejectionReasons(request)).toEqual([]);
  const results = commandsOf('journal.write').flatMap(({ entry }) =>
    entry.type === 'tool_called' ? [entry.toolCallId] : [],
  );
  expect(new Set(results).size).toBe(results.length);
  const calls = commandsOf('journal.write').flatMap(({ entry }) =>
    entry.type === 'transcript' && entry.entry.role === 'tool_call' ? [entry.entry.toolCallId] : [],
  );
  expect(new Set(calls).size).toBe(calls.length);
  const pendingIds = [
    ...(driver.state.snapshot?.context.runningTools ?? []).map(({ toolCallId }) => toolCallId),
    ...driver.pendingTransferIds,
  ];
  // Every tool call that no longer runs has exactly one result.
  expect(calls.filter((id) => !results.includes(id) && !pendingIds.includes(id))).toEqual([]);
  const startedIds = commandsOf('tool.run').map(({ toolCallId }) => toolCallId);
  expect(new Set(startedIds).size).toBe(startedIds.length);
  const ends = commandsOf('journal.write').filter(({ entry }) => entry.type === 'ended');
  expect(ends.length).toBe(hasEnded(driver.state) ? 1 : 0);
  const hangUpIndex = commands.findIndex(({ type }) => type === 'call.hang_up');
  expect(
    commands
      .slice(hangUpIndex < 0 ? commands.length : hangUpIndex)
      .filter(({ type }) => FORBIDDEN_AFTER_HANG_UP.has(type)),
  ).toEqual([]);
  for (const { entry } of commandsOf('journal.write')) {
    if (entry.type !== 'turn') continue;
    const values = Object.values(turnTimes(entry.record)).filter((value) => value !== null);
    expect(values.filter((value) => !(value >= 0 && Number.isFinite(value)))).toEqual([]);
  }
  if (hasEnded(driver.state)) expect(commands.at(-1)).toEqual({ type: 'call.close' });
  expect(() => structuredClone(driver.state.snapshot?.context)).not.toThrow();
}

describe('random events', () => {
  it(
    'end a call once, start nothing after its end, keep the history valid and leave no unbounded silence',
    () => {
      fc.assert(
        fc.property(
          anyDirection,
          fc.array(anyAction, { minLength: 5, maxLength: 80, size: 'max' }),
          fc.boolean(),
          anyTraits,
          fc.constantFrom({}, LATENCIES),
          (callDirection, actions, transfersOnFailure, transcriberTraits, latencies) => {
            const parameters = { ...DIRECTIONS[callDirection], transcriberTraits, ...latencies };
            const driver = new CallDriver(transfersOnFailure ? COMPILED_WITH_FAILURE_TRANSFER : COMPILED, parameters);
            driver.post({ type: 'call.offered' });
            driver.post({ type: 'control.answered' }, 10);
            for (const action of actions) {
              driver.perform(action);
              expect(boundViolations(driver)).toEqual([]);
            }
            expectInvariants(driver);
            const isConfigured = driver.commands.some(({ type }) => type === 'transcriber.configure');
            expect(isConfigured && !transcriberTraits.configurable).toBe(false);
            driver.post({ type: 'control.ended', cause: 'remote_bye' }, 10);
            driver.post({ type: 'timer', timer: 'call_end' }, 3_000);
            expectInvariants(driver);
            expect(hasEnded(driver.state)).toBe(true);
          },
        ),
        { numRuns: propertyRuns(250) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});
