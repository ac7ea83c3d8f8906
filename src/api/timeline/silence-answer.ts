import type { Silence, SilenceCause } from '../../../engine/timeline/silence.ts';
import { causeText, silenceText } from '../../../engine/timeline/silence-text.ts';
import { isUsual } from '../../../engine/timeline/usual-cause.ts';
import type { Axis } from './axis.ts';

/** A silence in the form of the API. */
export function silenceAnswer(silence: Silence, axis: Axis) {
  const { after, before, fromUs, parts, toUs } = silence;
  return {
    start_ms: axis(fromUs),
    end_ms: axis(toUs),
    after,
    before,
    causes: parts.map(({ cause, ms, share }) => {
      const usual = isUsual(cause);
      return { type: cause.type, ms, share, usual, text: causeText(cause), evidence: evidenceOf(cause) };
    }),
    text: silenceText(silence),
  };
}

function evidenceOf(cause: SilenceCause) {
  const fields = Object.entries(cause).filter(([name]) => name !== 'type');
  return Object.fromEntries(
    fields.map(([name, value]) => [snakeCase(name), Array.isArray(value) ? [...value] : value]),
  );
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
