import type { CallSpan, SpanOf } from './call-span.ts';
import type { SilenceCause } from './silence.ts';
import type { TimelineInput } from './timeline-input.ts';
import { RANKS, spansOf, type Wait } from './wait.ts';

/** Requests to the model. A failed one lasts until the next request: the delay of a retry is its part. */
export function modelWaits({ spans, turns }: Pick<TimelineInput, 'spans' | 'turns'>): readonly Wait[] {
  const requests = spansOf(spans, 'model');
  const fillers = turns.flatMap(({ fillersMs, startUs }) => fillersMs.map((ms) => startUs + ms * 1000));
  return requests.map((request) => {
    const { firstTextUs, firstTokenUs, fromUs } = request;
    if (request.outcome === 'failed') return failedWait('language_model', request, requests, spans);
    const sinceRequest = (us: number | null) => (us === null ? null : (us - fromUs) / 1000);
    const cause: SilenceCause = {
      type: 'model_slow',
      firstTokenMs: sinceRequest(firstTokenUs),
      firstTextMs: sinceRequest(firstTextUs),
      requests: 1,
      hasFiller: fillers.some((us) => us > fromUs && us < (firstTextUs ?? request.toUs)),
    };
    return { rank: RANKS.model, fromUs, toUs: request.toUs, cause };
  });
}

/** Texts that the voice was given, until their first audio; and the waits after a later failure. */
export function voiceWaits(spans: readonly CallSpan[]): readonly Wait[] {
  const requests = spansOf(spans, 'voice');
  const failures = spansOf(spans, 'provider_failure').filter(({ kind }) => kind === 'voice');
  const retries = failures.flatMap(({ error, fromUs, next }): Wait[] => {
    const retry = requests.find((request) => request.fromUs >= fromUs);
    const cause = { type: 'voice_failed', failures: 1, error, next } as const;
    return retry === undefined ? [] : [{ rank: RANKS.requestFailure, fromUs, toUs: retry.fromUs, cause }];
  });
  return [...retries, ...requestWaits(requests, spans)];
}

function requestWaits(requests: readonly SpanOf<'voice'>[], spans: readonly CallSpan[]): readonly Wait[] {
  return requests.map((request) => {
    const { fromUs, toUs } = request;
    if (request.outcome === 'failed') return failedWait('voice', request, requests, spans);
    return { rank: RANKS.voice, fromUs, toUs, cause: { type: 'voice_slow', firstAudioMs: (toUs - fromUs) / 1000 } };
  });
}

function failedWait(
  kind: 'language_model' | 'voice',
  { error, fromUs, toUs }: SpanOf<'model' | 'voice'>,
  requests: readonly CallSpan[],
  spans: readonly CallSpan[],
): Wait {
  const nextUs = requests.find((other) => other.fromUs >= toUs && other.fromUs > fromUs)?.fromUs ?? toUs;
  const failures = spansOf(spans, 'provider_failure').filter((failure) => failure.kind === kind);
  const cause = {
    type: kind === 'voice' ? ('voice_failed' as const) : ('model_failed' as const),
    failures: failures.filter((failure) => failure.fromUs >= fromUs && failure.fromUs <= nextUs).length,
    error: error ?? '',
    next: failures.find((failure) => failure.fromUs >= toUs && failure.fromUs <= nextUs)?.next ?? null,
  };
  return { rank: RANKS.requestFailure, fromUs, toUs: nextUs, cause };
}
