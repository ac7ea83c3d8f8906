import type { Call, TranscriptEntry } from '../generated/client.ts';
import { speechParts } from './speech-parts.ts';
import { axisStartMs } from './time-axis.ts';

const SPEAKERS: Readonly<Partial<Record<TranscriptEntry['role'], string>>> = { user: 'User', agent: 'Agent' };

/** The speech of a call as WebVTT (W3C), with the speaker as voice span. Cues are plain text: a `-->` in one would be read as times. */
export function webVtt(call: Pick<Call, 'start_time' | 'created_at' | 'transcript'>): string {
  const startMs = axisStartMs(call);
  const cues = call.transcript.flatMap((entry) => {
    const speaker = SPEAKERS[entry.role];
    if (speaker === undefined) return [];
    const spoken = speechParts(entry, startMs).filter(({ content }) => content.trim() !== '');
    return spoken.map(({ content, stretch }) => {
      const times = `${vttTime(stretch.startMs)} --> ${vttTime(stretch.endMs)}`;
      return `${times}\n<v ${speaker}>${cueText(content)}</v>`;
    });
  });
  return `${['WEBVTT', ...cues].join('\n\n')}\n`;
}

function cueText(content: string): string {
  return content
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\s*[\r\n]\s*/g, ' ');
}

function vttTime(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
