import { describe, expect, it } from 'vitest';
import { axisEvents } from '../../console/src/call/axis-events.ts';
import { causeName } from '../../console/src/call/silence/cause-name.ts';
import { evidenceText } from '../../console/src/call/silence/evidence.ts';
import { de } from '../../console/src/i18n/de.ts';
import { en } from '../../console/src/i18n/en.ts';
import type { SilenceCauseType } from '../../engine/timeline/silence.ts';
import { EXAMPLE_TIMELINE } from '../../src/api/schemas/example-timeline.ts';

describe('the timeline of a call in the console', () => {
  it('has each kind of event once, in the order of their times', () => {
    const events = axisEvents(EXAMPLE_TIMELINE, 'filler');
    expect(events.map(({ kind, label }) => `${kind} ${label}`)).toEqual([
      'state reception',
      'failure openai → mistral: openai: HTTP 503',
      'tool find_table()',
      'filler filler',
      'state reception → booking',
      'transfer → +4930555000',
    ]);
    expect(new Set(events.map(({ key }) => key)).size).toBe(events.length);
  });

  it('names every cause of a silence in each language, and a newer one as the service does', () => {
    const causes: Readonly<Record<SilenceCauseType, string>> = en.call.causes;
    expect(Object.keys(de.call.causes)).toEqual(Object.keys(causes));
    expect(causeName('tool', de.call.causes)).toBe('Ein Werkzeug lief');
    expect(causeName('newer_cause', en.call.causes)).toBe('newer_cause');
    expect(causeName('toString', en.call.causes)).toBe('toString');
  });

  it('shows the evidence in values: names, the longest time, the loss', () => {
    expect(evidenceText({ evidence: { name: 'lookup', ran_ms: 3_400, has_filler: true } })).toBe('lookup · 3.40 s');
    expect(evidenceText({ evidence: { first_token_ms: 2_000, first_text_ms: 2_100 } })).toBe('2.10 s');
    expect(evidenceText({ evidence: { lost_share: 0.12 } })).toBe('12 %');
    expect(evidenceText({ evidence: {} })).toBe('');
  });
});
