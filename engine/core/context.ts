import type { AnsweringMachineSlice } from './state/answering-machine.ts';
import type { CallSlice } from './state/call.ts';
import type { DtmfSlice } from './state/dtmf.ts';
import type { FailoverSlice } from './state/failover.ts';
import type { GenerationSlice } from './state/generation.ts';
import type { InterruptionSlice } from './state/interruption.ts';
import type { MetricsSlice } from './state/metrics.ts';
import type { PlayoutSlice } from './state/playout.ts';
import type { ToolsSlice } from './state/tools.ts';
import type { TranscriptSlice } from './state/transcript.ts';
import type { TurnsSlice } from './state/turns.ts';
import type { UserTurnSlice } from './state/user-turn.ts';
import type { VariablesSlice } from './state/variables.ts';

/**
 * The state of a call between two events, composed of the topics' slices. Plain data that is replaced, never changed in
 * place; records that are keyed by names of users are Maps.
 */
export interface CallContext
  extends CallSlice,
    TurnsSlice,
    UserTurnSlice,
    InterruptionSlice,
    GenerationSlice,
    PlayoutSlice,
    ToolsSlice,
    DtmfSlice,
    AnsweringMachineSlice,
    TranscriptSlice,
    VariablesSlice,
    FailoverSlice,
    MetricsSlice {}
