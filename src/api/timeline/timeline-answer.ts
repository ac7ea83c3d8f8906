import { silencesOf } from '../../../engine/timeline/silences.ts';
import { axisFrom } from './axis.ts';
import { eventLanes } from './event-lanes.ts';
import { silenceAnswer } from './silence-answer.ts';
import { spanLanes } from './span-lanes.ts';
import { axisStartUs, type StoredTimeline, silenceInput } from './stored-timeline.ts';
import { transcriptLanes } from './transcript-lanes.ts';

/** The CallTimeline of the API. */
export function timelineAnswer(stored: StoredTimeline) {
  const { call, spans, transcript, turns } = stored;
  const startUs = axisStartUs(call);
  const axis = axisFrom(startUs);
  const input = silenceInput(stored);
  return {
    call_id: call.id,
    start_time: new Date(startUs / 1_000).toISOString(),
    end_ms: call.endMs === null ? null : axis(call.endMs * 1_000),
    ...transcriptLanes(transcript, turns, axis),
    ...spanLanes(spans, axis),
    ...eventLanes(stored, axis),
    silences: input === null ? null : silencesOf(input).map((silence) => silenceAnswer(silence, axis)),
  };
}
