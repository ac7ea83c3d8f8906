import type { JsonValue } from '../../../engine/agent/json-value.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { ProviderError } from '../../../engine/ports/provider-error.ts';

/** Replaces a text by another one of the same length. */
export type TextMask = (text: string) => string;

/** An event with every text of a person, a model, a tool or a provider masked. Numbers, names and times stay. */
export function maskedEvent(event: CallEvent, mask: TextMask): CallEvent {
  switch (event.type) {
    case 'call.say':
    case 'model.sentence':
    case 'media.typed_text':
      return { ...event, text: mask(event.text) };
    case 'call.context':
      return { ...event, content: mask(event.content) };
    case 'call.transfer': {
      const { announcement, request } = event;
      const destination = mask(request.destination);
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, mask(value)]));
      return {
        ...event,
        request: { ...request, destination, headers },
        ...(announcement !== undefined && { announcement: mask(announcement) }),
      };
    }
    case 'control.transfer_failed':
      return { ...event, reason: mask(event.reason) };
    case 'control.ended':
      return event.detail === undefined ? event : { ...event, detail: mask(event.detail) };
    case 'media.dtmf':
      return { ...event, digit: mask(event.digit) };
    case 'media.failed':
      return { ...event, message: mask(event.message) };
    case 'transcriber.interim':
    case 'transcriber.turn': {
      const { words } = event;
      return { ...event, text: mask(event.text), ...(words !== undefined && { words: maskedWords(words, mask) }) };
    }
    case 'transcriber.final':
      return { ...event, text: mask(event.text), words: maskedWords(event.words, mask) };
    case 'voice.words':
      return { ...event, words: maskedWords(event.words, mask) };
    case 'model.tool_call':
      return { ...event, call: { ...event.call, arguments: maskedJson(event.call.arguments, mask) } };
    case 'extraction.done':
    case 'summary.done':
      return { ...event, answer: maskedValue(event.answer, mask) };
    case 'knowledge.result': {
      const { result } = event;
      if (result.type === 'failed') return event;
      return { ...event, result: { ...result, passages: result.passages.map((one) => maskedPassage(one, mask)) } };
    }
    case 'tool.result': {
      const { result } = event;
      const mapped = result.mapped.map((one) => ({ ...one, value: maskedValue(one.value, mask) }));
      return { ...event, result: { ...result, content: mask(result.content), mapped } };
    }
    case 'transcriber.failed':
    case 'model.failed':
    case 'extraction.failed':
    case 'summary.failed':
    case 'voice.failed':
      return { ...event, error: maskedError(event.error, mask) };
    default:
      return wordless(event);
  }
}

type Wordless = Extract<
  CallEvent,
  {
    readonly type:
      | 'call.offered'
      | 'call.terminate'
      | 'call.pause_recording'
      | 'call.resume_recording'
      | 'control.ringing'
      | 'control.accepted'
      | 'control.answered'
      | 'control.on_hold'
      | 'control.off_hold'
      | 'control.transfer_succeeded'
      | `media.${'speech' | 'background'}_${string}`
      | `media.segment_${string}`
      | 'media.echo_learnt'
      | 'media.cleared'
      | 'media.paused'
      | 'media.resumed'
      | 'media.tone'
      | 'media.suspended'
      | 'media.restored'
      | 'media.timeout'
      | 'transcriber.ready'
      | 'transcriber.utterance_end'
      | 'model.first_token'
      | 'model.done'
      | 'voice.started'
      | 'voice.done'
      | 'end_of_turn.judged'
      | 'timer';
  }
>;

/** A new event with words has to be named above: it is no argument of this function. */
function wordless(event: Wordless): CallEvent {
  return event;
}

function maskedWords<W extends { readonly text: string }>(words: readonly W[], mask: TextMask): readonly W[] {
  return words.map((word) => ({ ...word, text: mask(word.text) }));
}

function maskedPassage<P extends { readonly heading: string; readonly content: string }>(
  passage: P,
  mask: TextMask,
): P {
  return { ...passage, heading: mask(passage.heading), content: mask(passage.content) };
}

function maskedError(error: ProviderError, mask: TextMask): ProviderError {
  return { ...error, message: mask(error.message) };
}

function maskedValue(value: JsonValue, mask: TextMask): JsonValue {
  if (typeof value === 'string') return mask(value);
  if (typeof value === 'number') return 0;
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map((one) => maskedValue(one, mask)) : maskedFields(value, mask);
}

/** The names of the fields stay. */
export function maskedFields(
  fields: Extract<JsonValue, object>,
  mask: TextMask,
): { readonly [name: string]: JsonValue } {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, maskedValue(field, mask)]));
}

/** The arguments of a tool call, as the model wrote them. Invalid JSON has no names that could stay. */
function maskedJson(json: string, mask: TextMask): string {
  try {
    const value: JsonValue = JSON.parse(json);
    return JSON.stringify(maskedValue(value, mask));
  } catch {
    return mask(json);
  }
}
