import type { Clock } from '../../../base/time/clock.ts';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type { AgentConfiguration } from '../../agent/agent.ts';
import type { CallPorts } from '../../session/call-ports.ts';
import { compileAgent } from '../../session/machine/compile-agent.ts';
import { startCall } from '../../session/start-call.ts';
import { type CallOutcome, outcomeOf } from '../call-outcome.ts';
import type { Tape } from '../tape-file.ts';
import type { TapeEntry } from '../tape-format.ts';
import { readRecordedResponses } from './read-recorded-responses.ts';
import type { RecordedResponses } from './recorded-responses.ts';
import type { OnDifference, RequestDifference } from './request-difference.ts';
import { createTapeControl } from './tape-control.ts';
import { createTapeKnowledge } from './tape-knowledge.ts';
import { createTapeTools } from './tape-tools.ts';
import { TapeUser } from './tape-user.ts';

/** A user whose tape is over stays on the line for so long, silent, and hangs up. */
const CALLER_STAYS_MS = 30_000;
/** A call that is not over this long after its user has hung up has a fault of ours. */
const END_MAX_MS = 60_000;
const SLICE_MS = 1_000;

/** Makes the providers that answer as they did on the tape. */
export type MakeTapeProviders = (
  answers: RecordedResponses,
  tape: Tape,
  after: Clock['after'],
  onDifference: OnDifference,
) => Pick<CallPorts, 'transcriber' | 'model' | 'voice'>;

export interface ReSimulation {
  readonly entries: readonly TapeEntry[];
  /** What the tape's call has left behind, and what this one has. */
  readonly recorded: CallOutcome;
  readonly simulated: CallOutcome;
  /** Requests that are not the recorded ones, in the order made. */
  readonly differences: readonly RequestDifference[];
  readonly log: readonly string[];
}

/**
 * Runs an agent against the user of a tape, on a simulated clock, whatever it does now. The providers answer the n-th
 * request as they did, with their delays.
 *
 * @throws {Error} where the call does not end: a fault of the rules
 */
export function reSimulate(agent: AgentConfiguration, tape: Tape, makeProviders: MakeTapeProviders): ReSimulation {
  const { header, entries: recorded } = tape;
  const clock = new SimulatedClock(header.parameters.startedWallMs);
  // A live call is offered a moment after its engine time began.
  clock.runUntil((recorded[0]?.atUs ?? 0) / 1000);
  const after = clock.after.bind(clock);
  const entries: TapeEntry[] = [];
  const differences: RequestDifference[] = [];
  const log: string[] = [];
  const onDifference: OnDifference = (difference) => differences.push(difference);
  const answers = readRecordedResponses(tape);
  const caller = new TapeUser(tape, clock, (event) => call.post(event));
  const control = createTapeControl(recorded, clock, onDifference);
  let isOver = false;
  const call = startCall({
    compiled: compileAgent(agent),
    parameters: header.parameters,
    firstEvent: caller.firstEvent,
    tape: (entry) => {
      entries.push(entry);
      if (entry.event.type === 'control.answered') caller.answered();
      isOver ||= entry.commands.some(({ type }) => type === 'call.close');
    },
    ports: {
      ...makeProviders(answers, tape, after, onDifference),
      media: caller.media,
      control,
      clock,
      tools: createTapeTools(answers.tools, after, onDifference),
      knowledge: createTapeKnowledge(answers.searches, after, onDifference),
      journal: { write: () => {} },
      log: (level, message) => log.push(`${level}: ${message}`),
    },
  });
  caller.begin();
  const stayMs = (recorded.at(-1)?.atUs ?? 0) / 1000 + CALLER_STAYS_MS;
  clock.at(stayMs, () => control.emit({ type: 'ended', cause: 'remote_bye' }));
  for (let untilMs = clock.nowUs() / 1000 + SLICE_MS; !isOver; untilMs += SLICE_MS) {
    if (untilMs > stayMs + END_MAX_MS) throw new Error(`the call did not end; it is in «${call.view().state}»`);
    clock.runUntil(untilMs);
  }
  return { entries, recorded: outcomeOf(recorded), simulated: outcomeOf(entries), differences, log };
}
