import type { CallSpan, SpanOf } from '../../../engine/timeline/call-span.ts';
import type { TranscriptRecord } from '../../storage/calls/transcript-record.ts';
import type { JsonObject } from '../../storage/schema/json-object.ts';
import { errorTypeOf, providerAttribute } from './gen-ai-attributes.ts';
import { spanIdBelow } from './trace-context.ts';
import type { Attribute, TraceEvent, TraceSpan } from './trace-span.ts';
import { AGENT_SPEECH } from './turn-spans.ts';

/** A span that has not yet its place in the trace. */
export type UnplacedSpan = Omit<TraceSpan, 'parentId'>;

interface Placing {
  readonly callId: string;
  readonly callSpanId: string;
}

/** Spans of the speech in the call, and of its requests to providers. Others, such as network samples, are left out. */
export function callTraceSpans(spans: readonly CallSpan[], { callId, callSpanId }: Placing): readonly UnplacedSpan[] {
  const conversation = { 'gen_ai.conversation.id': callId };
  return spans.flatMap((span, index) => {
    const described = describe(span, conversation);
    if (described === null) return [];
    const spanId = spanIdBelow(callSpanId, `span ${index} ${span.type} ${span.fromUs}`);
    const { fromUs, toUs } = span;
    return [{ kind: 'internal', attributes: {}, events: [], error: null, ...described, spanId, fromUs, toUs }];
  });
}

type Described = Pick<TraceSpan, 'name'> & Partial<Pick<TraceSpan, 'kind' | 'attributes' | 'events' | 'error'>>;

function describe(span: CallSpan, conversation: Readonly<Record<string, Attribute>>): Described | null {
  switch (span.type) {
    case 'voice_activity':
      return { name: 'user speech' };
    case 'agent_speech':
      return { name: AGENT_SPEECH };
    case 'transcription':
      return { name: 'transcribe', kind: 'client' };
    case 'model':
      return { ...modelRequest(span), attributes: { ...modelAttributes(span), ...conversation } };
    case 'voice': {
      const attributes = { ...providerAttribute(span.provider), ...conversation, ...outcome(span) };
      return { name: 'synthesize', kind: 'client', attributes, ...failure(span) };
    }
    case 'transcriber_failure':
      return { name: 'transcriber failed', error: errorTypeOf(span.error) };
    case 'playback_pause':
      return { name: 'playback paused', attributes: { 'trunkline.interruption': span.isInterruption } };
    case 'dtmf_entry':
      return { name: 'DTMF entry' };
    case 'machine_wait':
      return { name: 'machine wait' };
    case 'on_hold':
      return { name: 'on hold' };
    case 'media_suspended':
      return { name: 'media suspended' };
    case 'transfer':
      return { name: 'transfer', error: span.successful ? null : 'transfer_failed' };
    // Tools come from the transcript, which has their ids. The others are events, or no stages of a call.
    case 'tool':
    case 'answered':
    case 'provider_failure':
    case 'late_timer':
    case 'network':
      return null;
  }
}

function modelRequest(span: SpanOf<'model'>): Described {
  const { firstTextUs, firstTokenUs, model } = span;
  const stage = (name: string, atUs: number | null): TraceEvent[] =>
    atUs === null ? [] : [{ name, atUs, attributes: {} }];
  return {
    name: model === undefined ? 'chat' : `chat ${model}`,
    kind: 'client',
    events: [...stage('first token', firstTokenUs), ...stage('first text', firstTextUs)],
    ...failure(span),
  };
}

function modelAttributes(span: SpanOf<'model'>): Readonly<Record<string, Attribute>> {
  const { firstTokenUs, fromUs, model, provider, usage } = span;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.stream': true,
    ...providerAttribute(provider),
    ...(model !== undefined && { 'gen_ai.request.model': model }),
    ...(firstTokenUs !== null && { 'gen_ai.response.time_to_first_chunk': (firstTokenUs - fromUs) / 1e6 }),
    ...(usage !== undefined && {
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
    }),
    ...outcome(span),
  };
}

function outcome(span: SpanOf<'model' | 'voice'>): Readonly<Record<string, Attribute>> {
  return span.outcome === 'cancelled' ? { 'trunkline.cancelled': true } : {};
}

function failure(span: SpanOf<'model' | 'voice'>): Pick<TraceSpan, 'error'> {
  return { error: span.outcome === 'failed' ? errorTypeOf(span.error) : null };
}

/** The tool calls of a transcript. Their ids are those of `toolContext`; a model that uses an id twice has the second one numbered. */
export function toolTraceSpans(
  transcript: readonly TranscriptRecord[],
  { callId, callSpanId }: Placing,
  capturesContent: boolean,
): readonly UnplacedSpan[] {
  const seen = new Map<string, number>();
  const responses = transcript.filter(({ role }) => role === 'tool_response');
  return transcript.flatMap((entry) => {
    if (entry.role !== 'tool_call') return [];
    const id = textOf(entry.fields, 'tool_call_id') ?? '';
    const before = seen.get(id) ?? 0;
    seen.set(id, before + 1);
    const own = responses.filter(({ fields }) => textOf(fields, 'tool_call_id') === id)[before];
    const name = textOf(entry.fields, 'name') ?? '';
    const status = own?.fields.http_status;
    return [
      {
        spanId: spanIdBelow(callSpanId, before === 0 ? `tool ${id}` : `tool ${id} ${before}`),
        name: `execute_tool ${name}`,
        kind: 'internal',
        fromUs: entry.startUs,
        toUs: own === undefined ? entry.startUs : (own.endUs ?? own.startUs),
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.conversation.id': callId,
          'gen_ai.tool.name': name,
          'gen_ai.tool.type': 'function',
          'gen_ai.tool.call.id': id,
          ...(typeof status === 'number' && { 'http.response.status_code': status }),
          ...(capturesContent && contentOf(entry, own)),
        },
        events: [],
        error: own?.fields.successful === false ? (typeof status === 'number' ? String(status) : '_OTHER') : null,
      },
    ];
  });
}

function contentOf(call: TranscriptRecord, response: TranscriptRecord | undefined) {
  return {
    'gen_ai.tool.call.arguments': JSON.stringify(call.fields.arguments ?? {}),
    ...(response !== undefined && { 'gen_ai.tool.call.result': response.content }),
  };
}

function textOf(fields: JsonObject, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' ? value : null;
}
