import { randomInt } from 'node:crypto';
import { SipCaller } from '../../../test/sip-endpoint/sip-caller.ts';
import type { EmulatedProviders } from './emulated-providers.ts';
import { AGENT_PAUSE_MS, type HeardCall, type HearingCase } from './heard-case.ts';
import { Phone } from './phone.ts';
import { voicedSpans } from './recorded-call.ts';
import type { SentFrames } from './sent-frames.ts';
import type { ServiceOfTree } from './service-of-tree.ts';

export interface CallBed {
  readonly service: ServiceOfTree;
  readonly providers: EmulatedProviders;
  readonly frames: SentFrames;
  /** Answers after the time in its path, such as `/after/12000`. */
  readonly functionUrl: string;
}

const CALLED_NUMBER = '+33987654321';
const FROM_NUMBER = '+33123456789';
const GREETING = 'Hello, what can I do for you?';
const HANG_UP_AFTER_MS = 2_000;
const CALL_MS_MAX = 75_000;
const FINAL_STATUSES = ['completed', 'failed'];

let calls = 0;

/** Places one call over SIP and RTP, and returns what both sides heard, with the call's transcript. */
export async function runCall(bed: CallBed, tried: HearingCase): Promise<HeardCall> {
  const { service, providers, frames, functionUrl } = bed;
  const number = ++calls;
  const { id } = await service.api.createAgent({
    name: `Hearing ${number}`,
    initial_message: tried.greeting ?? GREETING,
    initial_state_name: 'talk',
    states: [{ name: 'talk', prompt: 'Talk.' }],
    record_tape: true,
    ...providers.provide(number, tried.providers),
    ...tried.agent?.(functionUrl),
  });
  const callId = await service.api.stage({ from_number: FROM_NUMBER, to_number: CALLED_NUMBER, agent_id: id });
  const { promise: over, resolve: onOver } = Promise.withResolvers<void>();
  const phone = await Phone.open({
    codec: tried.codec ?? 'pcmu',
    steps: tried.steps,
    ...(tried.echo === undefined ? {} : { echo: tried.echo }),
    ...(tried.lossShare === undefined ? {} : { lossShare: tried.lossShare }),
    frames,
    hangUpAfterMs: tried.hangUpAfterMs ?? HANG_UP_AFTER_MS,
    callMsMax: CALL_MS_MAX,
    seed: randomInt(1, 2 ** 31),
    onOver,
  });
  const uac = new SipCaller(
    {
      target: { host: '127.0.0.1', port: service.sipPort },
      protocol: 'UDP',
      localAddress: '127.0.0.1',
      to: CALLED_NUMBER,
      from: FROM_NUMBER,
      headers: { 'X-Service-Call-Id': callId },
      sdp: phone.offer(),
    },
    {
      onProvisional: () => undefined,
      onAnswered: (answer) => {
        if (!phone.connectTo(answer)) onOver();
      },
      onEnded: () => onOver(),
    },
  );
  await uac.invite();
  await over;
  const recording = phone.hangUp();
  uac.bye();
  const call = await service.api.callIn(callId, FINAL_STATUSES);
  await uac.close();
  const startMs = Date.parse(call.start_time ?? '');
  return {
    recording,
    agentSpans: voicedSpans(recording.agent, AGENT_PAUSE_MS),
    transcript: (call.transcript ?? []).map(({ role, content, start_time }) => ({
      role,
      content,
      atMs: Date.parse(start_time) - startMs,
    })),
    voiced: providers.voiced(number),
    endReason: call.end_reason,
    metrics: call.metrics,
  };
}
