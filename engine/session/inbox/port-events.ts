import type { CallEvent } from '../../core/event.ts';
import type { CallControlEvent } from '../../ports/call-control.ts';
import type { MediaEvent } from '../../ports/media.ts';

/** Media events under their inbox names. */
export function mediaCallEvent(event: MediaEvent): CallEvent {
  switch (event.type) {
    case 'speech_started':
      return { ...event, type: 'media.speech_started' };
    case 'speech_stopped':
      return { ...event, type: 'media.speech_stopped' };
    case 'speech_lasted':
      return { ...event, type: 'media.speech_lasted' };
    case 'background_speech_started':
      return { ...event, type: 'media.background_speech_started' };
    case 'background_speech_stopped':
      return { ...event, type: 'media.background_speech_stopped' };
    case 'echo_learnt':
      return { ...event, type: 'media.echo_learnt' };
    case 'segment_started':
      return { ...event, type: 'media.segment_started' };
    case 'segment_ended':
      return { ...event, type: 'media.segment_ended' };
    case 'cleared':
      return { ...event, type: 'media.cleared' };
    case 'paused':
      return { ...event, type: 'media.paused' };
    case 'resumed':
      return { ...event, type: 'media.resumed' };
    case 'dtmf':
      return { ...event, type: 'media.dtmf' };
    case 'typed_text':
      return { ...event, type: 'media.typed_text' };
    case 'tone':
      return { ...event, type: 'media.tone' };
    case 'suspended':
      return { type: 'media.suspended' };
    case 'restored':
      return { type: 'media.restored' };
    case 'timeout':
      return { type: 'media.timeout' };
    case 'failed':
      return { ...event, type: 'media.failed' };
  }
}

/** Call control events under their inbox names. */
export function controlCallEvent(event: CallControlEvent): CallEvent {
  switch (event.type) {
    case 'ringing':
      return { type: 'control.ringing' };
    case 'accepted':
      return { type: 'control.accepted' };
    case 'answered':
      return { type: 'control.answered' };
    case 'on_hold':
      return { type: 'control.on_hold' };
    case 'off_hold':
      return { type: 'control.off_hold' };
    case 'transfer_succeeded':
      return { ...event, type: 'control.transfer_succeeded' };
    case 'transfer_failed':
      return { ...event, type: 'control.transfer_failed' };
    case 'ended':
      return { ...event, type: 'control.ended' };
  }
}
