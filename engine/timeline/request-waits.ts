import type { CallSpan, SpanOf } from './call-span.ts';
import type { SilenceCause } from './silence.ts';
import type { TimelineInput } from './timeline-input.ts';
import { RANKS, spansOf, type Wait } from './wait.ts';

type RequestInput = Pick<TimelineInput, 'endedUs' | 'spans' | 'turns'>;

/** A turn record has tenths of a ms. */
const ROUNDING_US = 100;

/** Requests to the model. A failed one lasts until the next request of its turn: the delay of a retry is its part. */
export function modelWaits(input: RequestInput): readonly Wait[] {
  const { spans, turns } = input;
  const requests = spansOf(spans, 'model');
  const fillers = turns.flatMap(({ fillersMs, startUs }) => fillersMs.map((ms) => startUs + ms * 1000));
  return requests.map((request) => {
    const { firstTextUs, firstTokenUs, fromUs } = request;
    if (request.outcome === 'failed') return failedWait('language_model', request, requests, input);
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
export function voiceWaits(input: RequestInput): readonly Wait[] {
  const { spans } = input;
  const requests = spansOf(spans, 'voice');
  const failures = spansOf(spans, 'provider_failure').filter(({ kind }) => kind === 'voice');
  const retries = failures.flatMap(({ error, fromUs, next }): Wait[] => {
    const retry = retryOf(fromUs, requests, input);
    const cause = { type: 'voice_failed', failures: 1, error, next, askedAgain: true } as const;
    return retry === undefined ? [] : [{ rank: RANKS.requestFailure, fromUs, toUs: retry.fromUs, cause }];
  });
  return [...retries, ...requestWaits(requests, input)];
}

function requestWaits(requests: readonly SpanOf<'voice'>[], input: RequestInput): readonly Wait[] {
  return requests.map((request) => {
    const { fromUs, toUs } = request;
    if (request.outcome === 'failed') return failedWait('voice', request, requests, input);
    return { rank: RANKS.voice, fromUs, toUs, cause: { type: 'voice_slow', firstAudioMs: (toUs - fromUs) / 1000 } };
  });
}

function failedWait(
  kind: 'language_model' | 'voice',
  { error, fromUs, toUs }: SpanOf<'model' | 'voice'>,
  requests: readonly CallSpan[],
  input: RequestInput,
): Wait {
  const later = requests.filter((other) => other.fromUs > fromUs);
  const retry = retryOf(toUs, later, input);
  const nextUs = retry?.fromUs ?? callEndAfter(toUs, input) ?? toUs;
  const failures = spansOf(input.spans, 'provider_failure').filter((failure) => failure.kind === kind);
  const cause = {
    type: kind === 'voice' ? ('voice_failed' as const) : ('model_failed' as const),
    failures: failures.filter((failure) => failure.fromUs >= fromUs && failure.fromUs <= nextUs).length,
    error: error ?? '',
    next: failures.find((failure) => failure.fromUs >= toUs && failure.fromUs <= nextUs)?.next ?? null,
    askedAgain: retry !== undefined,
  };
  return { rank: RANKS.requestFailure, fromUs, toUs: nextUs, cause };
}

/** The end of a call in which nothing was heard or asked after a failure: it came before the retry. */
function callEndAfter(failedUs: number, { endedUs, spans }: RequestInput): number | null {
  const isFollowed = spans.some(
    ({ fromUs, type }) => fromUs >= failedUs && (type === 'agent_speech' || type === 'model' || type === 'voice'),
  );
  return isFollowed ? null : endedUs;
}

/** The request that follows a failure. One of a later turn is no retry. */
function retryOf(failedUs: number, requests: readonly CallSpan[], { turns }: RequestInput): CallSpan | undefined {
  const retry = requests.find(({ fromUs }) => fromUs >= failedUs);
  return retry !== undefined && turnAt(retry.fromUs, turns) === turnAt(failedUs, turns) ? retry : undefined;
}

/** The last turn for which the model had been asked. */
function turnAt(atUs: number, turns: RequestInput['turns']): number | undefined {
  return turns.findLast(({ askedMs, startUs }) => askedMs.some((ms) => startUs + ms * 1000 <= atUs + ROUNDING_US))
    ?.turn;
}
