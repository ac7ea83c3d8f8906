import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialTransition, transition } from 'xstate';
import type { AgentConfiguration } from '../../../../engine/agent/agent-schema.ts';
import type { CallEvent } from '../../../../engine/core/event.ts';
import type { MachineEvent } from '../../../../engine/core/rule-step.ts';
import type { CallParameters } from '../../../../engine/core/state/call-parameters.ts';
import { compileAgent } from '../../../../engine/session/machine/compile-agent.ts';
import { initialContext } from '../../../../engine/session/machine/initial-context.ts';
import {
  initialSnapshot,
  isIn,
  isOver,
  type MachineSnapshot,
  machineTransition,
} from '../../../../engine/session/machine/machine-transition.ts';
import { CallDriver } from '../../properties/call-driver.ts';
import { fixtureAgents } from '../../properties/fixture-agents.ts';
import { AGENT, anyDirection, COMPILED, DIRECTIONS } from '../../properties/property-agent.ts';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from '../../properties/property-runs.ts';
import { anyAction } from '../../properties/random-event.ts';
import { CALL_PARAMETERS } from '../../simulation/agent-with.ts';

/** A driver that keeps the events which it posts. */
class RecordingDriver extends CallDriver {
  readonly events: MachineEvent[] = [];

  override post(event: CallEvent, waitMs = 0): void {
    super.post(event, waitMs);
    this.events.push({ ...event, time: { atUs: this.atUs, audioClock: { epochUs: 0, gaps: [] }, audioMs: 0 } });
  }
}

/** The paths of the active leaves in a state value of xstate. */
function pathsOf(value: unknown, parent: readonly string[] = []): readonly string[] {
  if (typeof value === 'string') return [[...parent, value].join('.')];
  return Object.entries(value ?? {}).flatMap(([key, inner]) => pathsOf(inner, [...parent, key]));
}

/** Runs xstate and the compiled machine on the same events, and compares states, contexts and commands. */
function expectEqualSteps(
  agent: AgentConfiguration,
  parameters: CallParameters,
  events: readonly MachineEvent[],
): MachineSnapshot {
  const { compiledMachine, machine } = compileAgent(agent);
  const context = initialContext(agent, parameters);
  let [expected] = initialTransition(machine, context);
  let actual = initialSnapshot(compiledMachine, context);
  for (const event of events) {
    if (expected.status !== 'active') break;
    const [next, actions] = transition(machine, expected, event);
    const step = machineTransition(actual, event);
    expect(step.commands).toEqual(actions.map(({ params }) => params));
    expected = next;
    actual = step.snapshot;
    expect(actual.leaves.map(({ path }) => path).toSorted()).toEqual(pathsOf(expected.value).toSorted());
    expect(isOver(actual)).toBe(expected.status === 'done');
  }
  expect(actual.context).toEqual(expected.context);
  return actual;
}

describe('the compiled machine', () => {
  it(
    'takes the steps of xstate on random events',
    () => {
      fc.assert(
        fc.property(
          anyDirection,
          fc.array(anyAction, { minLength: 5, maxLength: 60, size: 'max' }),
          (callDirection, actions) => {
            const parameters = DIRECTIONS[callDirection];
            const driver = new RecordingDriver(COMPILED, parameters);
            driver.post({ type: 'call.offered' });
            driver.post({ type: 'control.answered' }, 10);
            for (const action of actions) driver.perform(action);
            driver.post({ type: 'control.ended', cause: 'remote_bye' }, 10);
            driver.post({ type: 'timer', timer: 'call_end' }, 3_000);
            expect(isOver(expectEqualSteps(AGENT, parameters, driver.events))).toBe(true);
          },
        ),
        { numRuns: propertyRuns(60) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );

  it.each(fixtureAgents())('takes the transitions of the graph of $name as xstate does', ({ agent }) => {
    const { compiledMachine } = compileAgent(agent);
    const time = { atUs: 0, audioClock: { epochUs: 0, gaps: [] }, audioMs: 0 };
    const ordinals = compiledMachine.flatMap(({ on }) => [...on.keys()].filter((type) => /^t\d+$/.test(type)));
    expect(ordinals.length).toBeGreaterThan(0);
    const events = ordinals.map((_, ordinal) => ({ type: `t${ordinal}` as const, time }));
    expectEqualSteps(agent, CALL_PARAMETERS, [...events, ...events.toReversed()]);
  });

  it('is in a state and in the states around it', () => {
    const snapshot = initialSnapshot(COMPILED.compiledMachine, initialContext(AGENT, CALL_PARAMETERS));
    expect(isIn(snapshot, 'lifecycle.open.offered')).toBe(true);
    expect(isIn(snapshot, 'lifecycle.open')).toBe(true);
    expect(isIn(snapshot, 'lifecycle.ope')).toBe(false);
  });
});
