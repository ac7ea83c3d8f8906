import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { ActivityInterval } from '../core/state/interruption-slice.ts';

/** Activity that is remembered: more than a minute of lively speech. */
export const ACTIVITY_MAX = 32;
/** Words are the user's if near-end speech was heard during half of them. */
const OWN_SHARE_MIN = 0.5;

/** Remembers when the user spoke. Runs at each event of speech. */
export function rememberActivity(step: RuleStep): void {
  const { event } = step;
  const { echo } = step.context;
  if (event.type === 'media.speech_started') {
    const started = { fromUs: step.audioUs(event.audioMs), untilUs: null };
    step.change({ echo: { ...echo, activity: [...echo.activity, started].slice(-ACTIVITY_MAX) } });
  } else if (event.type === 'media.speech_stopped') {
    const untilUs = step.audioUs(event.audioMs);
    const activity = echo.activity.map((interval) => ({ ...interval, untilUs: interval.untilUs ?? untilUs }));
    step.change({ echo: { ...echo, activity } });
  }
}

/** The media worker has learnt the echo of the line, or knows that it is gone. */
export function onEchoLearnt(step: RuleStep): void {
  if (step.event.type !== 'media.echo_learnt') return;
  const { echo } = step.context;
  const { delayMs } = step.event;
  step.change({ echo: { ...echo, delayMs, learntUs: delayMs === null ? null : (echo.learntUs ?? step.nowUs) } });
}

/** The media worker is replaced: the next one knows neither the echo nor a voice in the background, and reports them again. */
export function onMediaSuspended(step: RuleStep): void {
  const { background, echo } = step.context;
  step.change({
    echo: { ...echo, delayMs: null, learntUs: null },
    background: background.map((heard) => ({ ...heard, untilUs: heard.untilUs ?? step.nowUs })),
  });
}

/** Near-end speech was heard during most of the interval. */
export function isNearEndSpeech(context: CallContext, fromUs: number, untilUs: number, nowUs: number): boolean {
  const spokenUs = nearEndSpeech(context).reduce(
    (sum, activity) =>
      sum + Math.max(0, Math.min(activity.untilUs ?? nowUs, untilUs) - Math.max(activity.fromUs, fromUs)),
    0,
  );
  return overlapsNearEndSpeech(context, fromUs, untilUs) && spokenUs >= OWN_SHARE_MIN * (untilUs - fromUs);
}

/** Near-end speech was heard during a part of the interval. */
export function overlapsNearEndSpeech(context: CallContext, fromUs: number, untilUs: number): boolean {
  return nearEndSpeech(context).some(overlaps(fromUs, untilUs));
}

/** Activity before the echo was learnt may be the echo. */
function nearEndSpeech({ echo }: CallContext): readonly ActivityInterval[] {
  const { activity, learntUs } = echo;
  return learntUs === null ? [] : activity.filter(({ fromUs }) => fromUs >= learntUs);
}

/** No voice activity was heard near the interval, on a line whose echo is known. */
export function lacksNearEndSpeech(context: CallContext, fromUs: number, untilUs: number): boolean {
  return isActivityKnown(context, fromUs) && !context.echo.activity.some(overlaps(fromUs, untilUs));
}

/** The echo of the line is known, so its voice activity since then is the user's. */
export function isActivityKnown({ echo }: CallContext, fromUs: number): boolean {
  return echo.delayMs !== null && !isForgotten(echo.activity, fromUs);
}

export function overlaps(fromUs: number, untilUs: number) {
  return (heard: ActivityInterval) => heard.fromUs <= untilUs && (heard.untilUs ?? Number.POSITIVE_INFINITY) >= fromUs;
}

/** Activity before this time is no longer remembered. */
export function isForgotten(activity: readonly ActivityInterval[], fromUs: number): boolean {
  const [oldest] = activity;
  return activity.length === ACTIVITY_MAX && oldest !== undefined && oldest.fromUs > fromUs;
}
