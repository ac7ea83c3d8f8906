import type { Clock } from '../../../base/time/clock.ts';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type { AgentConfiguration } from '../../agent/agent-schema.ts';
import type { EngineNotice } from '../../core/notice.ts';
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
import { createTapeEndOfTurnModel } from './tape-end-of-turn-model.ts';
import { createTapeKnowledge } from './tape-knowledge.ts';
import { createTapeTools } from './tape-tools.ts';
import { TapeUser } from './tape-user.ts';

/** After the end of the tape the user stays silent for this time and then hangs up. */
const USER_STAYS_MS = 30_000;
/** A call that does not end within this time after the hang-up of its user is an error of the rules. */
const END_MS_MAX = 60_000;
const SLICE_MS = 1_000;

/** Creates the providers that respond as recorded. */
export type MakeTapeProviders = (
  responses: RecordedResponses,
  tape: Tape,
  after: Clock['after'],
  onDifference: OnDifference,
) => Pick<CallPorts, 'transcriber' | 'model' | 'voice'>;

export interface ReSimulation {
  readonly entries: readonly TapeEntry[];
  /** Outcomes of the recorded call and of the re-simulated call. */
  readonly recorded: CallOutcome;
  readonly simulated: CallOutcome;
  /** Requests that differ from the recorded ones, in the order of the requests. */
  readonly differences: readonly RequestDifference[];
  readonly notices: readonly EngineNotice[];
}

/**
 * Runs an agent against the user of a tape, on a simulated clock. The agent may behave differently than on the tape. The
 * providers respond to the n-th request as recorded, with the recorded delays.
 *
 * @throws {Error} if the call does not end
 */
export function reSimulate(agent: AgentConfiguration, tape: Tape, makeProviders: MakeTapeProviders): ReSimulation {
  const { header, entries: recorded } = tape;
  const clock = new SimulatedClock(header.parameters.startedWallMs);
  // A live call is offered shortly after engine time 0.
  clock.runUntil((recorded[0]?.atUs ?? 0) / 1000);
  const after = clock.after.bind(clock);
  const entries: TapeEntry[] = [];
  const differences: RequestDifference[] = [];
  const notices: EngineNotice[] = [];
  const onDifference: OnDifference = (difference) => differences.push(difference);
  const responses = readRecordedResponses(tape);
  const user = new TapeUser(tape, clock, (event) => call.post(event));
  const control = createTapeControl(recorded, clock, onDifference);
  let isOver = false;
  const call = startCall({
    compiled: compileAgent(agent),
    parameters: header.parameters,
    firstEvent: user.firstEvent,
    tape: (entry) => {
      entries.push(entry);
      if (entry.event.type === 'control.answered') user.answered();
      isOver ||= entry.commands.some(({ type }) => type === 'call.close');
    },
    ports: {
      ...makeProviders(responses, tape, after, onDifference),
      media: user.media,
      control,
      clock,
      tools: createTapeTools(responses.tools, after, onDifference),
      knowledge: createTapeKnowledge(responses.searches, after, onDifference),
      endOfTurnModel: createTapeEndOfTurnModel(responses.endsOfTurn, () => user.pauseMs, after),
      journal: { write: () => {} },
      log: (notice) => void notices.push(notice),
    },
  });
  user.begin();
  const stayMs = (recorded.at(-1)?.atUs ?? 0) / 1000 + USER_STAYS_MS;
  clock.at(stayMs, () => control.emit({ type: 'ended', cause: 'remote_bye' }));
  for (let untilMs = clock.nowUs() / 1000 + SLICE_MS; !isOver; untilMs += SLICE_MS) {
    if (untilMs > stayMs + END_MS_MAX) throw new Error(`the call did not end; it is in «${call.view().state}»`);
    clock.runUntil(untilMs);
  }
  return { entries, recorded: outcomeOf(recorded), simulated: outcomeOf(entries), differences, notices };
}
