import type { EngineNotice } from '../../engine/core/notice.ts';
import type { Log } from './log.ts';

/** Logs a notice of the engine as its event of the catalogue. */
export function logEngineNotice(log: Log, notice: EngineNotice): void {
  switch (notice.type) {
    case 'answer_type_detected':
      log.info({ answer_type: notice.answerType, reason: notice.reason }, 'answer type detected');
      return;
    case 'call_failed':
      log.warn({ reason: notice.reason, detail: notice.detail }, 'call failed');
      return;
    case 'turn_failed':
      log.warn({ reason: notice.reason, detail: notice.detail }, 'turn failed');
      return;
    case 'failure_transfer_skipped':
      log.warn({ reason: notice.reason }, 'failure transfer skipped');
      return;
    case 'refer_refused':
      log.info({}, 'REFER refused, call bridged');
      return;
    case 'playout_stalled':
      log.error({ next: notice.next }, 'playout stalled');
      return;
    case 'variable_missing':
      log.warn({ variable: notice.variable, used_in: notice.usedIn, tool: notice.tool }, 'variable value missing');
      return;
    case 'rule_failed':
      log.error({ err: notice.error }, 'engine rule failed');
      return;
    case 'tape_write_failed':
      log.error({ err: notice.error }, 'tape write failed');
      return;
    case 'port_failed':
      log.error({ port: notice.port, err: notice.error }, 'call port failed');
      return;
    default:
      logProviderNotice(log, notice);
  }
}

type ProviderNotice = Extract<
  EngineNotice,
  {
    readonly type:
      | `${'provider' | 'transcriber' | 'generation' | 'segment' | 'response' | 'summary' | 'extraction'}_${string}`
      | 'user_audio_lost';
  }
>;

/** Notices about the transcriber, the language model and the voice. */
function logProviderNotice(log: Log, notice: ProviderNotice): void {
  switch (notice.type) {
    case 'provider_failed':
      log.warn({ kind: notice.kind, provider: notice.provider, error: notice.error }, 'provider failed');
      return;
    case 'provider_failed_over':
      log.warn({ kind: notice.kind, from: notice.from, to: notice.to, error: notice.error }, 'provider failed over');
      return;
    case 'transcriber_reopened':
      log.warn({ speech_ms: notice.speechMs }, 'transcriber reopened');
      return;
    case 'user_audio_lost':
      log.warn({ lost_ms: notice.lostMs }, 'user audio lost');
      return;
    case 'generation_limit_reached':
      log.warn({ generations: notice.generations }, 'generation limit reached');
      return;
    case 'segment_limit_reached':
      log.warn({ segments: notice.segments }, 'segment limit reached');
      return;
    case 'response_empty':
      log.warn({ provider: notice.provider }, 'model response empty');
      return;
    case 'summary_failed':
      log.warn({ error: notice.error }, 'history summary failed');
      return;
    case 'extraction_failed':
      log.warn({ error: notice.error }, 'variable extraction failed');
      return;
    default:
      notice satisfies never;
  }
}
