import type { JsonValue } from '../../../engine/agent/json-value.ts';
import { callFromRecord } from '../../api/calls/call-from-record.ts';
import type { StoredTimeline } from '../../api/timeline/stored-timeline.ts';
import { timelineAnswer } from '../../api/timeline/timeline-answer.ts';
import type { TapeFolder } from '../files/tape-folder.ts';
import { type MaskedTape, maskedTape } from './masked-tape.ts';
import { reportMask } from './report-mask.ts';
import type { ServiceLadder } from './service-ladder.ts';

/** Raised when a field changes its meaning. */
export const REPORT_VERSION = 1;

export interface ReportParts {
  readonly stored: StoredTimeline;
  /** Null: the call has none. */
  readonly tape: TapeFolder | null;
  readonly ladder: ServiceLadder;
  readonly versions: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  /** Texts that must not appear in the report. */
  readonly secrets: readonly string[];
}

/** Everything about one call for a bug report: numbers, credentials and secrets are masked, and audio is left out. */
export interface CallReport {
  readonly report: typeof REPORT_VERSION;
  readonly versions: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  /** The Call of the API: turns, RTP statistics, usage and cost. */
  readonly call: JsonValue;
  /** The CallTimeline of the API: waits for providers, network, silences. */
  readonly timeline: JsonValue;
  readonly sip_ladder: string | null;
  readonly tape: MaskedTape | null;
  /** The missing parts of the report, with the reasons. */
  readonly missing: Readonly<Record<string, string>>;
}

export function callReport(parts: ReportParts): CallReport {
  const { ladder, secrets, settings, stored, tape, versions } = parts;
  const mask = reportMask(secrets);
  const { call, transcript, turns, variables } = stored;
  const answer = callFromRecord({ call, transcript, turns, variables, postCallAnswers: [], recordingUrl: null });
  const isLadder = 'text' in ladder;
  return {
    report: REPORT_VERSION,
    versions,
    settings,
    call: mask.value(answer),
    timeline: mask.value(timelineAnswer(stored)),
    sip_ladder: isLadder ? mask.text(ladder.text) : null,
    tape: tape === null ? null : maskedTape(tape, mask.text),
    missing: {
      ...(!isLadder && { sip_ladder: ladder.missing }),
      ...(tape === null && { tape: 'the call has no tape: set record_tape on its agent for the next calls' }),
    },
  };
}
