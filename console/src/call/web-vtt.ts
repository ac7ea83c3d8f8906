import type { Call, TranscriptEntry } from '../generated/client.ts';
import { axisStartMs, stretchOf } from './time-axis.ts';

const SPEAKERS: Readonly<Partial<Record<TranscriptEntry['role'], string>>> = { user: 'User', agent: 'Agent' };

/** The speech of a call as WebVTT (W3C), with the speaker as voice span. Cues are plain text: `<` and `&` are escaped. */
export function webVtt(call: Pick<Call, 'start_time' | 'created_at' | 'transcript'>): string {
  const startMs = axisStartMs(call);
  const cues = call.transcript.flatMap((entry) => {
    const speaker = SPEAKERS[entry.role];
    if (speaker === undefined || entry.content.trim() === '') return [];
    const stretch = stretchOf(entry, startMs);
    const text = entry.content
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replace(/\s*\n\s*/g, ' ');
    return [`${vttTime(stretch.startMs)} --> ${vttTime(stretch.endMs)}\n<v ${speaker}>${text}</v>`];
  });
  return `${['WEBVTT', ...cues].join('\n\n')}\n`;
}

function vttTime(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
