import { describe, expect, it } from 'vitest';
import { axisEvents } from '../../console/src/call/axis-events.ts';
import { causeName, foundCauseName } from '../../console/src/call/silence/cause-name.ts';
import { evidenceText } from '../../console/src/call/silence/evidence.ts';
import type { JsonObject } from '../../console/src/generated/client.ts';
import { de } from '../../console/src/i18n/de.ts';
import { en } from '../../console/src/i18n/en.ts';
import { es } from '../../console/src/i18n/es.ts';
import { fr } from '../../console/src/i18n/fr.ts';
import { REASON_SCORES } from '../../engine/completeness/end-of-turn-pause.ts';
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
      'transfer → +49••••••00: SIP 486',
    ]);
    expect(new Set(events.map(({ key }) => key)).size).toBe(events.length);
  });

  it('names every cause of a silence in each language, and a newer one as the service does', () => {
    const causes: Readonly<Record<SilenceCauseType, string>> = en.call.causes;
    expect(Object.keys(de.call.causes)).toEqual(Object.keys(causes));
    for (const cause of ['transcriber_late', 'transcriber_failed', 'provider_turn_end'] as const) {
      expect(en.call.causes[cause]).toContain('transcriber');
      expect(de.call.causes[cause]).toContain('Spracherkennung');
    }
    expect(causeName('tool', de.call.causes)).toBe('Ein Werkzeug lief');
    expect(causeName('newer_cause', en.call.causes)).toBe('newer_cause');
    expect(causeName('toString', en.call.causes)).toBe('toString');
  });

  it('names a cause without blame if it took no longer than usual, and a model that had not answered', () => {
    const model = (usual: boolean, firstMs: number | null) => {
      const evidence = { first_token_ms: firstMs, first_text_ms: firstMs };
      return foundCauseName({ type: 'model_slow', ms: 500, share: 0.5, usual, evidence }, en);
    };
    expect(model(true, 290)).toBe('Model');
    expect(model(false, 4_240)).toBe('The model was slow');
    expect(model(false, null)).toBe('The model had not answered');
    for (const { evidence } of [en, de, fr, es])
      expect(Object.keys(evidence.reasons).toSorted()).toEqual(Object.keys(REASON_SCORES).toSorted());
  });

  it('shows the evidence in words: names, times, the loss', () => {
    const shown = (type: string, evidence: JsonObject) => evidenceText({ type, evidence }, en.evidence, 'en');
    expect(shown('tool', { name: 'lookup', ran_ms: 3_400, has_filler: true })).toBe(
      'lookup ran 3.40 s, a filler was spoken during the wait',
    );
    expect(shown('model_slow', { first_token_ms: 4_240, first_text_ms: 4_241, requests: 1, has_filler: true })).toBe(
      'first token after 4.24 s, a filler was spoken during the wait',
    );
    expect(shown('model_slow', { first_token_ms: 250, first_text_ms: 2_100, requests: 2, has_filler: false })).toBe(
      '2 requests, first token after 250 ms, first sentence or tool call after 2.10 s',
    );
    expect(shown('speech_end_late', { late_ms: 1_580 })).toBe('1.58 s late: the words lasted longer than the voice');
    expect(shown('open_words', { waited_ms: 1_500, score: 0.2, reasons: ['open_word'] })).toBe(
      'waited 1.50 s, open last word',
    );
    const failure = { failures: 1, error: 'openai: HTTP 503' };
    expect(shown('model_failed', { ...failure, next: 'mistral', asked_again: true })).toBe(
      'failed once, openai: HTTP 503, then mistral',
    );
    expect(shown('model_failed', { ...failure, next: null, asked_again: true })).toMatch(/503, asked again$/);
    expect(shown('model_failed', { ...failure, next: null, asked_again: false })).toMatch(/503, not asked again$/);
    expect(shown('packet_loss', { lost_share: 0.12 })).toBe('12 % lost');
    expect(shown('unknown', {})).toBe('');
    const german = evidenceText({ type: 'speech_end_late', evidence: { late_ms: 1_580 } }, de.evidence, 'de');
    expect(german).toMatch(/^1,58 s/);
  });
});
