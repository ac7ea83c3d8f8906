import type { AnswerType } from '../ports/answer-type.ts';
import type { EndReason } from '../ports/end-reason.ts';

export type CallProviderKind = 'transcriber' | 'language_model' | 'voice';

/** The ports of a call that can throw. */
export type FailingPort =
  | 'transcriber'
  | 'language_model'
  | 'voice'
  | 'media'
  | 'control'
  | 'tools'
  | 'knowledge'
  | 'journal';

/**
 * Everything that the engine reports to the log. Plain data. The service maps each notice to one log event. No notice contains a
 * secret or a phone number.
 */
export type EngineNotice =
  | { readonly type: 'answer_type_detected'; readonly answerType: AnswerType; readonly reason: string }
  /** The provider is asked again, or it was the last one. */
  | {
      readonly type: 'provider_failed';
      readonly kind: CallProviderKind;
      readonly provider: string;
      readonly error: string;
    }
  | {
      readonly type: 'provider_failed_over';
      readonly kind: CallProviderKind;
      readonly from: string;
      readonly to: string;
      readonly error: string;
    }
  /** The transcriber reported no word of the user's speech. */
  | { readonly type: 'transcriber_reopened'; readonly speechMs: number }
  /** The new transcriber stream starts after audio that the call runner no longer has. */
  | { readonly type: 'user_audio_lost'; readonly lostMs: number }
  /** No provider of a kind has answered: the agent apologises and listens on. */
  | { readonly type: 'turn_failed'; readonly reason: EndReason; readonly detail: string }
  /** The call cannot continue: it ends or is transferred. */
  | { readonly type: 'call_failed'; readonly reason: EndReason; readonly detail: string }
  /** The transfer after a failure cannot be built: the call ends. */
  | { readonly type: 'failure_transfer_skipped'; readonly reason: string }
  /** The call is bridged instead. */
  | { readonly type: 'refer_refused' }
  | { readonly type: 'generation_limit_reached'; readonly generations: number }
  | { readonly type: 'segment_limit_reached'; readonly segments: number }
  /** The response had no words and no tool calls, and the model is not asked again. */
  | { readonly type: 'response_empty'; readonly provider: string }
  | { readonly type: 'summary_failed'; readonly error: string }
  | { readonly type: 'extraction_failed'; readonly error: string }
  /** The playout sent no audio in time. `next`: what follows. */
  | { readonly type: 'playout_stalled'; readonly next: 'transfer' | 'end' | 'listen' }
  /** The text of the agent, or the field of the tool, is filled as if the value were empty. */
  | {
      readonly type: 'variable_missing';
      readonly variable: string;
      readonly usedIn: 'text' | 'tool_url' | 'transfer_destination';
      /** Null for a text of the agent. */
      readonly tool: string | null;
    }
  /** An exception of a rule. The call ends. `error`: its stack. */
  | { readonly type: 'rule_failed'; readonly error: string }
  | { readonly type: 'tape_write_failed'; readonly error: string }
  | { readonly type: 'port_failed'; readonly port: FailingPort; readonly error: string };
