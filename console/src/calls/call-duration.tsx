import { useNowMs } from '../format/now.ts';
import { clockTime } from '../format/time.ts';
import type { Call } from '../generated/client.ts';
import { durationMs } from './call-facts.ts';

type TimedCall = Pick<Call, 'start_time' | 'end_time'>;

/** How long a call lasted. That of a running one grows. */
export function CallDuration({ call }: { readonly call: TimedCall }) {
  return call.end_time === null ? <RunningDuration call={call} /> : clockTime(durationMs(call, 0));
}

function RunningDuration({ call }: { readonly call: TimedCall }) {
  const nowMs = useNowMs();
  return clockTime(durationMs(call, nowMs));
}
