import type { AnsweringMachineSlice } from './state/answering-machine-slice.ts';
import type { DtmfSlice } from './state/dtmf-slice.ts';
import type { FailoverSlice } from './state/failover-slice.ts';
import type { FillersSlice } from './state/fillers-slice.ts';
import type { GenerationSlice } from './state/generation-slice.ts';
import type { HistorySummarySlice } from './state/history-summary-slice.ts';
import type { InterruptionSlice } from './state/interruption-slice.ts';
import type { LifecycleSlice } from './state/lifecycle-slice.ts';
import type { MetricsSlice } from './state/metrics-slice.ts';
import type { PlayoutSlice } from './state/playout-slice.ts';
import type { PresenceSlice } from './state/presence-slice.ts';
import type { RecordingSlice } from './state/recording-slice.ts';
import type { ToolsSlice } from './state/tools-slice.ts';
import type { TranscriptSlice } from './state/transcript-slice.ts';
import type { TurnDetectionSlice } from './state/turn-detection-slice.ts';
import type { TurnTakingSlice } from './state/turn-taking-slice.ts';
import type { VariableExtractionSlice } from './state/variable-extraction-slice.ts';
import type { VariablesSlice } from './state/variables-slice.ts';

/**
 * The state of a call between two events, composed of the topics' slices. Plain data that is replaced, never mutated.
 * Records with user-defined keys are Maps.
 */
export interface CallContext
  extends LifecycleSlice,
    TurnTakingSlice,
    PresenceSlice,
    TurnDetectionSlice,
    InterruptionSlice,
    GenerationSlice,
    PlayoutSlice,
    ToolsSlice,
    FillersSlice,
    DtmfSlice,
    AnsweringMachineSlice,
    TranscriptSlice,
    HistorySummarySlice,
    VariablesSlice,
    VariableExtractionSlice,
    FailoverSlice,
    RecordingSlice,
    MetricsSlice {}
